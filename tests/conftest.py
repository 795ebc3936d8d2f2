"""Here so that tests in every folder can import the helpers beside it, such as `real_robots`."""
