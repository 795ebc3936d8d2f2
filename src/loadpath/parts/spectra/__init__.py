"""Load spectra: rainflow cycles and time at level, of one series (`counting`), of the joints of a robot (`joints`)."""
