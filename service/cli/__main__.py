"""`python3 -m service.cli`: the command line, where no script of its name is at hand."""

from service.cli import main

if __name__ == "__main__":
    main(prog_name="chiptrail")
