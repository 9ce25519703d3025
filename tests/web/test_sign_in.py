from tests.web.world import Visitor, World


def test_a_browser_is_signed_in_by_a_key_until_it_signs_out(world: World) -> None:
    visitor = Visitor(world.service, world.admin.token)
    assert world.admin.owner in visitor.page("/tables")
    assert visitor.post("/sign-out").status_code == 303
    assert world.admin.owner not in visitor.page("/tables")


def test_a_sign_in_ends_with_its_key(world: World) -> None:
    person = world.service.person("play", expires_at="2000-01-01T00:00:00.000Z")
    visitor = Visitor(world.service)
    assert visitor.post("/sign-in", key=person.token).status_code == 401


def test_the_api_knows_no_cookie(world: World) -> None:
    visitor = Visitor(world.service, world.admin.token)
    assert visitor.get("/v1/whoami").json == {"owner": "", "scopes": [], "key": ""}


def test_a_form_without_its_token_does_nothing(world: World) -> None:
    visitor = Visitor(world.service, world.admin.token)
    assert visitor.client.post("/sign-out", data={}).status_code == 403
    assert world.admin.owner in visitor.page("/tables")
