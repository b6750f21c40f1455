// The first page: sign in, join by invitation, or see who you are and your projects. Text only, never markup from data.
const content = document.getElementById("content");

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

async function api(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body ? JSON.stringify(body) : undefined,
  });
  const answer = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

function form(title, fields, action, submit) {
  const error = element("p", { className: "error", role: "alert" });
  const inputs = fields.map(([name, label, type, autocomplete]) => [
    name,
    element("input", { name, type, required: true, autocomplete }),
    label,
  ]);
  const made = element(
    "form",
    { className: "card" },
    element("h2", { textContent: title }),
    ...inputs.map(([, input, label]) => element("label", {}, element("span", { textContent: label }), input)),
    error,
    element("button", { textContent: action }),
  );
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    error.textContent = "";
    try {
      await submit(Object.fromEntries(inputs.map(([name, input]) => [name, input.value])));
    } catch (problem) {
      error.textContent = problem.message;
    }
  });
  return made;
}

async function enter() {
  history.replaceState(null, "", "/");
  await show();
}

const signIn = () =>
  form("Sign in", [["email", "E-mail", "email", "username"], ["password", "Password", "password", "current-password"]],
    "Sign in", async (values) => { await api("POST", "/api/auth/login", values); await enter(); });

const join = (token) =>
  form("Join the team", [["name", "Your name", "text", "name"], ["password", "Choose a password", "password", "new-password"]],
    "Join", async (values) => { await api("POST", "/api/team/invitations/accept", { token, ...values }); await enter(); });

function connect() {
  const card = form("Connect an agent or a script", [["name", "Name of the key", "text", "off"]], "Make a key", async (values) => {
    const made = await api("POST", "/api/keys", values);
    card.replaceChildren(
      element("h2", { textContent: `Key “${made.name}”` }),
      element("p", { className: "soft", textContent: "Copy it now: it is shown only here." }),
      element("pre", { textContent: made.key }),
      element("pre", { textContent: `curl -H "Authorization: Bearer ${made.key}" ${location.origin}/api/projects` }),
    );
  });
  return card;
}

function home(me, projects) {
  const rows = projects.map((project) =>
    element("tr", {}, element("td", { textContent: project.name }), element("td", { className: "soft", textContent: project.status }),
      element("td", { className: "soft", textContent: project.id })));
  const out = element("button", { className: "plain", textContent: "Sign out" });
  out.addEventListener("click", async () => { await api("POST", "/api/auth/logout"); await show(); });
  const parts = [
    element("div", { className: "card" },
      element("h2", { textContent: `Hello, ${me.name}` }),
      element("p", { className: "soft", textContent: `${me.role} of ${me.teamName} (${me.email})` }), out),
    element("div", { className: "card" }, element("h2", { textContent: "Projects" }),
      rows.length ? element("table", {}, ...rows) : element("p", { className: "soft", textContent: "None yet." })),
  ];
  if (me.role !== "member") {
    parts.push(form("New project", [["name", "Name", "text", "off"]], "Make it",
      async (values) => { await api("POST", "/api/projects", values); await show(); }));
  }
  return [...parts, connect()];
}

async function show() {
  const address = new URL(location.href);
  const token = address.pathname === "/invitation" ? address.searchParams.get("token") : null;
  if (token) return content.replaceChildren(join(token));
  try {
    const me = await api("GET", "/api/auth/me");
    content.replaceChildren(...home(me, await api("GET", "/api/projects")));
  } catch {
    content.replaceChildren(signIn());
  }
}

show();
