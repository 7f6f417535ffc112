"""The compiled core of crediblenet."""

max_nodes: int = 512

class Control:
    """How one run of the core is watched and stopped, from any thread."""

    def __init__(
        self, time_limit: float = float("inf"), memory_limit: float = float("inf")
    ) -> None:
        """Start the clock: seconds from now, and bytes."""

    def interrupt(self) -> None:
        """Ask the run to end soon, as a user's Ctrl-C does."""

    @property
    def stopped_by(self) -> str | None:
        """Why the run was stopped, or None."""

    @property
    def visited(self) -> int:
        """Parent sets, subsets or search nodes seen so far."""

    @property
    def found(self) -> int:
        """Candidate sets or networks found so far."""

    @property
    def fraction(self) -> float:
        """Estimated share of the stage that is done, between 0 and 1."""

    @property
    def memory_peak(self) -> int:
        """Most bytes that the run announced at any time."""
