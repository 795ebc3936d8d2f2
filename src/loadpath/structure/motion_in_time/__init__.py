"""A flexible arm in time: large motion of its joints together with the elastic motion of its links and joints."""
