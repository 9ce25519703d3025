"""Clients that send each request once and take the first response."""

from tests.once.clients import Answer, Person


class Impatient(Person):
    """A person who never repeats a request, even if the server was busy."""

    def _ask(self, method: str, path: str, headers: dict[str, str], data: bytes | None = None) -> Answer:
        authorized = {**headers, "Authorization": f"Bearer {self.token}"}
        answer = self._pool.urlopen(method, path, body=data, headers=authorized)
        return Answer(answer.status, answer.headers, answer.data)


def impatient(person: Person) -> Impatient:
    """Return an impatient client with the key of *person* and its own connection."""
    return Impatient(person.url, person.token, person.owner)
