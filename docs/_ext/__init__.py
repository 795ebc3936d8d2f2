"""What the site needs beyond Sphinx and MyST, one idea a file: each module here is a Sphinx extension."""
