"""People who ask once, and take what they are told."""

from tests.once.clients import Answer, Person


class Impatient(Person):
    """Somebody who does not ask again, be it that the server was busy."""

    def _ask(self, method: str, path: str, headers: dict[str, str], data: bytes | None = None) -> Answer:
        authorized = {**headers, "Authorization": f"Bearer {self.token}"}
        answer = self._pool.urlopen(method, path, body=data, headers=authorized)
        return Answer(answer.status, answer.headers, answer.data)


def impatient(person: Person) -> Impatient:
    """Return *person* on a connection of their own."""
    return Impatient(person.url, person.token, person.owner)
