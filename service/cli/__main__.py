"""`python3 -m service.cli`: the command line without its script."""

from service.cli import main

if __name__ == "__main__":
    main(prog_name="chiptrail")
