"""What all methods share: motion of joints and links, wrenches and their transport, drives, rigid bodies."""
