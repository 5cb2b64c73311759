"""Endpoints that are asked most, reached without the ways that lead to all others.

FastAPI looks at each request's path, parameters, body and dependencies anew, which takes longer
than a small model takes for a title. These endpoints read their requests by themselves, and what
they depend on is known when the service starts.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from service.problems import Problem, on_client_disconnect, on_problem

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class DirectRoute(APIRoute):
    """Calls its endpoint with the request, and with what its dependencies make of that."""

    def get_route_handler(self) -> Handler:
        endpoint: Callable[..., Coroutine[Any, Any, Response]] = self.endpoint
        needs: list[tuple[str, Callable[[Request], Any]]] = [
            (each.name or "", each.call) for each in self.dependant.dependencies if each.call
        ]

        async def handle(request: Request) -> Response:
            found = {name: await call(request) for name, call in needs}
            return await endpoint(request, **found)

        return handle


class Direct:
    """ASGI middleware, the innermost: answers a POST to one of the direct routes.

    Args:
        routes: of the application; others than direct ones are passed over.
    """

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]):
        self.app = app
        chosen = [route for route in routes if isinstance(route, DirectRoute)]
        self._handlers = {route.path: (route, route.get_route_handler()) for route in chosen}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = None
        if scope["type"] == "http" and scope["method"] == "POST":
            found = self._handlers.get(scope["path"].removeprefix(scope.get("root_path", "")))
        if found is None:
            await self.app(scope, receive, send)
            return
        scope["route"], handle = found
        request = Request(scope, receive, send)
        try:
            response = await handle(request)
        except Problem as problem:
            response = await on_problem(request, problem)
        except ClientDisconnect as error:
            response = await on_client_disconnect(request, error)
        await response(scope, receive, send)
