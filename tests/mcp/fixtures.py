"""Tools, resources and prompts that the official conformance suite expects. Never part of the product."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
Params = types.CallToolRequestParams
Result = types.CallToolResult | types.InputRequiredResult
Handler = Callable[[Context, Params], Awaitable[Result]]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE = base64.b64encode(b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" + bytes(20)).decode()
_SECRET = b"only for these tests"
_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
_HEADED = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


def text(words: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], is_error=is_error)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, kind: str, words: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=kind, text=words)
    )


def form(message: str, **fields: dict[str, Any]) -> types.ElicitRequest:
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(words: str, max_tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


def state(step: str) -> str:
    return f"{step}.{hmac.new(_SECRET, step.encode(), hashlib.sha256).hexdigest()}"


def step_of(given: str | None) -> str:
    """Return the step encoded in a state. Raises MCPError for a forged state."""
    if given is None:
        return ""
    step = given.split(".", 1)[0]
    if not hmac.compare_digest(state(step), given):
        raise MCPError(types.INVALID_PARAMS, "requestState is not ours")
    return step


NAME = form("What is your name?", name={"type": "string"})
ROOTS = types.ListRootsRequest()


class Fixtures:
    """Adds fixtures to a server: names that start with ``test`` are handled here, all others by the product."""

    def __init__(self, server: Server[Any]) -> None:
        self._bus = InMemorySubscriptionBus()
        self._own = {
            method: entry.handler
            for method in ("tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
                           "prompts/list", "prompts/get")
            if (entry := server.get_request_handler(method)) is not None
        }  # fmt: skip
        self._tools: dict[str, tuple[Handler, dict[str, Any]]] = {
            "test_simple_text": (_simple, _OBJECT),
            "test_image_content": (_image, _OBJECT),
            "test_audio_content": (_audio, _OBJECT),
            "test_embedded_resource": (_embedded, _OBJECT),
            "test_multiple_content_types": (_mixed, _OBJECT),
            "test_tool_with_logging": (_logging, _OBJECT),
            "test_logging_tool": (_logging, _OBJECT),
            "test_error_handling": (_error, _OBJECT),
            "test_tool_with_progress": (_progress, _OBJECT),
            "test_sampling": (_sampling, _with("prompt")),
            "test_elicitation": (_elicitation, _with("message")),
            "test_elicitation_sep1034_defaults": (_defaults, _OBJECT),
            "test_elicitation_sep1330_enums": (_enums, _OBJECT),
            "test_missing_capability": (_missing, _OBJECT),
            "test_custom_header": (_simple, _HEADED),
            "test_streaming_elicitation": (_ask_name, _OBJECT),
            "test_trigger_tool_change": (self._change_tools, _OBJECT),
            "test_trigger_prompt_change": (self._change_prompts, _OBJECT),
            "test_input_required_result_elicitation": (_ask_name, _OBJECT),
            "test_input_required_result_sampling": (_ask_capital, _OBJECT),
            "test_input_required_result_list_roots": (_ask_roots, _OBJECT),
            "test_input_required_result_request_state": (_ask_with_state, _OBJECT),
            "test_input_required_result_tampered_state": (_ask_with_state, _OBJECT),
            "test_input_required_result_multiple_inputs": (_ask_all, _OBJECT),
            "test_input_required_result_multi_round": (_ask_twice, _OBJECT),
            "test_input_required_result_capabilities": (_ask_within_capabilities, _OBJECT),
        }
        for method, params, handler in (
            ("tools/list", types.PaginatedRequestParams, self.list_tools),
            ("tools/call", types.CallToolRequestParams, self.call_tool),
            ("resources/list", types.PaginatedRequestParams, self.list_resources),
            ("resources/templates/list", types.PaginatedRequestParams, self.list_templates),
            ("resources/read", types.ReadResourceRequestParams, self.read_resource),
            ("resources/subscribe", types.SubscribeRequestParams, _nothing),
            ("resources/unsubscribe", types.UnsubscribeRequestParams, _nothing),
            ("prompts/list", types.PaginatedRequestParams, self.list_prompts),
            ("prompts/get", types.GetPromptRequestParams, self.get_prompt),
            ("completion/complete", types.CompleteRequestParams, _complete),
            ("logging/setLevel", types.SetLevelRequestParams, _nothing),
            ("subscriptions/listen", types.SubscriptionsListenRequestParams, ListenHandler(self._bus)),
        ):
            server.add_request_handler(method, params, handler)  # type: ignore[arg-type]
        server.get_tool_input_schema = None

    async def list_tools(self, context: Context, params: Any) -> types.ListToolsResult:
        listed = await self._own["tools/list"](context, params)
        ours = [
            types.Tool(name=name, description=f"A fixture: {name}", input_schema=schema)
            for name, (_, schema) in self._tools.items()
        ]
        return types.ListToolsResult(tools=[*listed.tools, *ours])  # type: ignore[union-attr]

    async def call_tool(self, context: Context, params: Params) -> Any:
        if params.name in self._tools:
            return await self._tools[params.name][0](context, params)
        return await self._own["tools/call"](context, params)

    async def list_resources(self, context: Context, params: Any) -> types.ListResourcesResult:
        listed = await self._own["resources/list"](context, params)
        ours = [
            types.Resource(uri=f"test://{name}", name=name, description=f"A fixture: {name}", mime_type=kind)
            for name, kind in (("static-text", "text/plain"), ("static-binary", "image/png"))
        ]
        return types.ListResourcesResult(resources=[*ours, *listed.resources])  # type: ignore[union-attr]

    async def list_templates(self, context: Context, params: Any) -> types.ListResourceTemplatesResult:
        listed = await self._own["resources/templates/list"](context, params)
        ours = types.ResourceTemplate(
            uri_template="test://template/{id}/data",
            name="template",
            description="A fixture",
            mime_type="application/json",
        )
        return types.ListResourceTemplatesResult(
            resource_templates=[ours, *listed.resource_templates]  # type: ignore[union-attr]
        )

    async def read_resource(self, context: Context, params: types.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        if uri == "test://static-text":
            words = "This is the content of the static text resource."
            return _contents(types.TextResourceContents(uri=uri, mime_type="text/plain", text=words))
        if uri == "test://static-binary":
            return _contents(types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL))
        if uri.startswith("test://template/") and uri.endswith("/data"):
            number = uri.split("/")[3]
            data = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
            return _contents(types.TextResourceContents(uri=uri, mime_type="application/json", text=data))
        return await self._own["resources/read"](context, params)

    async def list_prompts(self, context: Context, params: Any) -> types.ListPromptsResult:
        listed = await self._own["prompts/list"](context, params)
        ours = [
            types.Prompt(
                name=name,
                description=f"A fixture: {name}",
                arguments=[types.PromptArgument(name=one, description=one, required=True) for one in arguments],
            )
            for name, arguments in PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=[*listed.prompts, *ours])  # type: ignore[union-attr]

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> Any:
        given = params.arguments or {}
        if params.name == "test_simple_prompt":
            return _messages(_words("This is a simple prompt for testing."))
        if params.name == "test_prompt_with_arguments":
            return _messages(_words(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"))
        if params.name == "test_prompt_with_embedded_resource":
            words = "Embedded resource content for testing."
            return _messages(
                embedded(given["resourceUri"], "text/plain", words),
                _words("Please process the embedded resource above."),
            )
        if params.name == "test_prompt_with_image":
            return _messages(image(), _words("Please analyze the image above."))
        if params.name == "test_input_required_result_prompt":
            if (params.input_responses or {}).get("user_context") is None:
                asked = form("What context should the prompt use?", context={"type": "string"})
                return types.InputRequiredResult(input_requests={"user_context": asked})
            return _messages(_words("With this context."))
        return await self._own["prompts/get"](context, params)

    async def _change_tools(self, context: Context, params: Params) -> Result:
        await self._bus.publish(ToolsListChanged())
        return text("changed")

    async def _change_prompts(self, context: Context, params: Params) -> Result:
        await self._bus.publish(PromptsListChanged())
        return text("changed")


PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


def _with(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


def _contents(one: Any) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[one])


def _words(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def _messages(*contents: Any) -> types.GetPromptResult:
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=one) for one in contents])


async def _nothing(context: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


async def _complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=["paris", "park"], total=2, has_more=False))


async def _simple(context: Context, params: Params) -> Result:
    return text("This is a simple text response for testing.")


async def _image(context: Context, params: Params) -> Result:
    return types.CallToolResult(content=[image()])


async def _audio(context: Context, params: Params) -> Result:
    return types.CallToolResult(content=[types.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")])


async def _embedded(context: Context, params: Params) -> Result:
    words = "This is an embedded resource content."
    return types.CallToolResult(content=[embedded("test://embedded-resource", "text/plain", words)])


async def _mixed(context: Context, params: Params) -> Result:
    data = '{"test":"data","value":123}'
    return types.CallToolResult(
        content=[
            _words("Multiple content types test:"),
            image(),
            embedded("test://mixed-content-resource", "application/json", data),
        ]
    )


async def _logging(context: Context, params: Params) -> Result:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", words, related_request_id=context.request_id)
        await asyncio.sleep(0.05)
    return text("Logged.")


async def _error(context: Context, params: Params) -> Result:
    return text("This tool intentionally returns an error for testing", is_error=True)


async def _progress(context: Context, params: Params) -> Result:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(0.05)
    return text("Done.")


async def _sampling(context: Context, params: Params) -> Result:
    prompt = str((params.arguments or {}).get("prompt"))
    message = types.SamplingMessage(role="user", content=_words(prompt))
    answer = await context.session.create_message([message], max_tokens=100, related_request_id=context.request_id)
    return text(f"LLM response: {getattr(answer.content, 'text', '')}")


async def _elicit(context: Context, message: str, fields: dict[str, Any], required: list[str]) -> types.ElicitResult:
    schema = {"type": "object", "properties": fields, "required": required}
    return await context.session.elicit_form(message, schema, related_request_id=context.request_id)


async def _elicitation(context: Context, params: Params) -> Result:
    fields = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    answer = await _elicit(context, str((params.arguments or {}).get("message")), fields, list(fields))
    return text(f"User response: action: {answer.action}, content: {json.dumps(answer.content)}")


async def _defaults(context: Context, params: Params) -> Result:
    fields: dict[str, Any] = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    answer = await _elicit(context, "Please look at the defaults", fields, [])
    return text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


async def _enums(context: Context, params: Params) -> Result:
    options = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{n}", "title": f"{word} Option"} for n, word in ((1, "First"), (2, "Second"), (3, "Third"))
    ]
    choices = [
        {"const": f"value{n}", "title": f"{word} Choice"} for n, word in ((1, "First"), (2, "Second"), (3, "Third"))
    ]
    fields: dict[str, Any] = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": choices}},
    }
    answer = await _elicit(context, "Please choose", fields, [])
    return text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


def _can(context: Context, name: str) -> bool:
    capabilities = context.session.client_capabilities
    return capabilities is not None and getattr(capabilities, name) is not None


async def _missing(context: Context, params: Params) -> Result:
    if not _can(context, "sampling"):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs sampling",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return text("It is there.")


async def _ask_name(context: Context, params: Params) -> Result:
    given = (params.input_responses or {}).get("user_name")
    if not isinstance(given, types.ElicitResult):
        return types.InputRequiredResult(input_requests={"user_name": NAME})
    return text(f"Hello, {(given.content or {}).get('name')}!")


async def _ask_capital(context: Context, params: Params) -> Result:
    given = (params.input_responses or {}).get("capital_question")
    if given is None:
        asked = sampling("What is the capital of France?", 100)
        return types.InputRequiredResult(input_requests={"capital_question": asked})
    return text(f"It said: {getattr(getattr(given, 'content', None), 'text', '')}")


async def _ask_roots(context: Context, params: Params) -> Result:
    given = (params.input_responses or {}).get("client_roots")
    if not isinstance(given, types.ListRootsResult):
        return types.InputRequiredResult(input_requests={"client_roots": ROOTS})
    return text(f"Roots: {', '.join(str(root.uri) for root in given.roots)}")


async def _ask_with_state(context: Context, params: Params) -> Result:
    if step_of(params.request_state) != "confirm" or not (params.input_responses or {}).get("confirm"):
        asked = form("Please confirm", ok={"type": "boolean"})
        return types.InputRequiredResult(input_requests={"confirm": asked}, request_state=state("confirm"))
    return text("state-ok")


async def _ask_all(context: Context, params: Params) -> Result:
    wanted: dict[str, Any] = {"user_name": NAME, "greeting": sampling("Generate a greeting", 50), "client_roots": ROOTS}
    given = params.input_responses or {}
    if step_of(params.request_state) != "all" or not wanted.keys() <= given.keys():
        return types.InputRequiredResult(input_requests=wanted, request_state=state("all"))
    return text("Thank you.")


async def _ask_twice(context: Context, params: Params) -> Result:
    given, step = params.input_responses or {}, step_of(params.request_state)
    if step == "second" and "step2" in given:
        return text("Thank you.")
    if step == "first" and "step1" in given:
        asked = form("Step 2: What is your favorite color?", color={"type": "string"})
        return types.InputRequiredResult(input_requests={"step2": asked}, request_state=state("second"))
    asked = form("Step 1: What is your name?", name={"type": "string"})
    return types.InputRequiredResult(input_requests={"step1": asked}, request_state=state("first"))


async def _ask_within_capabilities(context: Context, params: Params) -> Result:
    if params.input_responses:
        return text("Thank you.")
    asked: dict[str, Any] = {}
    if _can(context, "sampling"):
        asked["greeting"] = sampling("Generate a greeting", 50)
    if _can(context, "elicitation"):
        asked["user_name"] = NAME
    return types.InputRequiredResult(input_requests=asked) if asked else text("Nothing can be asked.")
