"""The console command `biaoti`."""


def main() -> int:
    return 0
