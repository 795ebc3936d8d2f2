"""The fast algorithms: composite and articulated bodies, Coriolis matrix, momentum, operational space, regressor."""
