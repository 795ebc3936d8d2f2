"""Do the tests notice a wrong formula? One token of the sources is changed, and one of the nearest tests must fail."""
