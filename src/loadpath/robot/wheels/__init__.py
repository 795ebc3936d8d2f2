"""What a robot on wheels stands on, as data: contacts and their friction, the base that has them, the ground."""
