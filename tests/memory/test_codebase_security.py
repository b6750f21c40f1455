"""Security hits in realistic files, and the findings made from them."""

from __future__ import annotations

import pytest

from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.records import FileFacts, Finding, Hit
from loremark.memory.codebase.security.audit import audit
from loremark.memory.codebase.security.scanner import scan_file
from tests.growth import assert_subquadratic_on

# path, unsafe code, rule
UNSAFE = [
    ("app/views.py", "result = eval(request.args['x'])", "eval"),
    ("app/jobs.py", "job = pickle.loads(message.body)", "pickle"),
    ("app/load.py", "data = yaml.load(open(name))", "yaml-load"),
    ("app/run.py", "subprocess.run(f'convert {name}', shell=True)", "shell-command"),
    ("app/run.py", "os.system('rm -r ' + folder)", "shell-command"),
    ("app/db.py", "cur.execute(f\"SELECT * FROM users WHERE name = '{name}'\")", "sql-concatenation"),
    ("app/db.py", 'cur.execute("DELETE FROM users WHERE id = %s" % key)', "sql-concatenation"),
    ("app/web.py", "return render_template_string(body)", "template-from-text"),
    ("app/client.py", "requests.get(url, verify=False)", "tls-unverified"),
    ("app/user.py", "self.password = hashlib.md5(password).hexdigest()", "weak-password-hash"),
    ("app/token.py", "reset_token = ''.join(random.choice(ALPHABET) for _ in range(20))", "weak-random"),
    ("app/settings.py", "DEBUG = True", "debug-on"),
    ("main.py", 'app.run(host="0.0.0.0", debug=True)', "debug-server"),
    ("src/a.ts", "exec(`git clone ${url}`, done)", "shell-command"),
    ("src/a.tsx", "<div dangerouslySetInnerHTML={{ __html: post.body }} />", "unescaped-html"),
    ("src/a.js", "list.innerHTML = `<li>${name}</li>`;", "unescaped-html"),
    ("src/a.js", "db.query(`SELECT * FROM t WHERE id = ${req.params.id}`)", "sql-concatenation"),
    ("src/a.js", "const token = Math.random().toString(36)", "weak-random"),
    ("src/a.ts", "new https.Agent({ rejectUnauthorized: false })", "tls-unverified"),
    ("pkg/a.go", "cfg := &tls.Config{InsecureSkipVerify: true}", "tls-unverified"),
    ("pkg/a.go", "rows, err := db.Query(fmt.Sprintf(\"SELECT * FROM t WHERE n = '%s'\", n))", "sql-concatenation"),
    ("src/A.java", 'st.executeQuery("SELECT * FROM t WHERE n = \'" + name + "\'");', "sql-concatenation"),
    ("src/A.java", 'Runtime.getRuntime().exec("ping " + host);', "shell-command"),
    ("src/A.java", 'Cipher c = Cipher.getInstance("AES/ECB/PKCS5Padding");', "broken-cipher"),
    ("src/A.cs", "var f = new BinaryFormatter();", "unsafe-deserialization"),
    ("src/A.cs", "cmd.CommandText = $\"SELECT * FROM t WHERE n = '{name}'\";", "sql-concatenation"),
    ("app/a.rb", "obj = Marshal.load(cookies[:data])", "unsafe-deserialization"),
    ("app/a.rb", "User.where(\"name = '#{params[:name]}'\")", "sql-concatenation"),
    ("src/a.php", "$data = unserialize($_COOKIE['d']);", "unsafe-deserialization"),
    ("src/a.php", "include($_GET['page'] . '.php');", "path-from-request"),
    ("src/a.c", "gets(line);", "gets"),
    ("src/a.c", "strcpy(target, argv[1]);", "unbounded-copy"),
    ("src/a.rs", "Client::builder().danger_accept_invalid_certs(true)", "tls-unverified"),
    ("install.sh", "curl -fsSL https://get.tool.dev/install | sudo bash", "piped-to-shell"),
    ("infra/s3.tf", '  acl = "public-read"', "public-bucket"),
    ("infra/sg.tf", 'ingress {\n  from_port = 22\n  to_port = 22\n  cidr_blocks = ["0.0.0.0/0"]\n}', "open-port"),
    ("Dockerfile", "ENV ASPNETCORE_ENVIRONMENT=Development", "development-image"),
    ("Dockerfile", "USER app\nRUN make\nUSER root", "root-user"),
    (".env.production", "APP_DEBUG=true", "debug-on"),
    (".github/workflows/a.yml", '      - run: echo "${{ github.event.issue.title }}"', "pipeline-injection"),
    (
        "docker-compose.yml",
        'environment:\n  POSTGRES_PASSWORD: postgres\nports:\n  - "5432:5432"\n',
        "default-password",
    ),
]
SAFE = [
    (
        "app/a.py",
        "value = ast.literal_eval(text)\nmodel.eval()\ndata = yaml.safe_load(f)\nyaml.load(f, Loader=SafeLoader)",
    ),
    ("app/a.py", 'cur.execute("SELECT * FROM t WHERE id = %s", (key,))\nsubprocess.run(["ls", name])'),
    ("app/a.py", "# never write eval(request.body) or DEBUG = True here\nsubprocess.run('make all', shell=True)"),
    ("app/a.py", "etag = hashlib.md5(body).hexdigest()\ncolour = random.choice(COLOURS)"),
    ("config/development.py", "DEBUG = True"),
    ("src/a.ts", "const m = pattern.exec(text);\nbox.innerHTML = '';\nawait sql`SELECT * FROM t WHERE id = ${id}`"),
    ("src/a.ts", "// list.innerHTML = `${name}`\nconst angle = Math.random() * 360;"),
    ("src/A.java", 'jdbc.query("SELECT * FROM t WHERE id = ?", mapper, id);\nprivate String gets() { return x; }'),
    ("app/a.rb", 'User.where("name = ?", params[:name])\nsystem("ls", folder)'),
    ("src/a.c", 'strncpy(a, b, n);\nfgets(line, 80, stdin);\nstrcpy(a, "fixed");'),
    ("docs/guide.md", "```python\neval(request.args['x'])\n```"),
    ("Dockerfile", "USER root\nRUN make\nUSER app"),
    ("infra/sg.tf", 'ingress {\n  from_port = 443\n  to_port = 443\n  cidr_blocks = ["0.0.0.0/0"]\n}'),
    ("package-lock.json", '"integrity": "sha512-' + "aB3" * 28 + '=="'),
    ("lang/de.json", '"password": "Passwort123"'),
]


def _hits(path: str, content: str) -> tuple[Hit, ...]:
    return scan_file(path, language_of(path), content)


@pytest.mark.parametrize(("path", "content", "rule"), UNSAFE)
def test_rule_matches(path: str, content: str, rule: str) -> None:
    padded = f"\n\n{content}\n"
    found = {hit.rule: hit for hit in _hits(path, padded)}
    assert rule in found
    hit = found[rule]
    assert 3 <= hit.line <= 2 + content.count("\n") + 1
    assert 1 <= hit.severity <= 5
    assert hit.why.endswith(".")


@pytest.mark.parametrize(("path", "content"), SAFE)
def test_safe_code_has_no_hits(path: str, content: str) -> None:
    assert _hits(path, content) == ()


def test_calls_in_tests_are_skipped_and_hits_are_sorted_by_severity() -> None:
    content = "DEBUG = True\npickle.loads(x)\nos.system(f'rm {x}')\n"
    assert _hits("tests/conftest.py", content) == ()
    assert [(hit.severity, hit.line) for hit in _hits("app/settings.py", content)] == [(4, 3), (3, 1), (3, 2)]


def test_env_file_with_a_real_secret_is_reported() -> None:
    rules = {hit.rule for hit in _hits(".env", "DB_PASSWORD=" + "Kx9" + "!meadow42\n")}
    assert rules == {"committed-env", "hard-coded-password"}
    assert _hits(".env.example", "DB_PASSWORD=changeme\n") == ()


def _facts(*hits: Hit) -> FileFacts:
    return FileFacts(language="python", lines=10, hits=hits)


def test_audit_groups_by_rule_and_critical_secrets_by_file() -> None:
    key = Hit("aws-key", "secret", 5, 3, "Whoever reads it can use it.")
    mild = Hit("hard-coded-password", "secret", 2, 9, "It is written down.")
    query = Hit("sql-concatenation", "injection", 4, 7, "A quote changes the query.")
    files = {f"app/m{number:02}.py": _facts(query) for number in range(60)}
    files |= {
        "app/a.py": _facts(key, query),
        "app/b.py": _facts(key),
        "tests/a.py": _facts(mild),
        "tests/b.py": _facts(mild),
    }
    found = audit(files)
    assert [(one.importance, one.tags[0]) for one in found] == [
        (5, "secret"),
        (5, "secret"),
        (4, "injection"),
        (1, "secret"),
    ]
    assert {one.files for one in found[:2]} == {("app/a.py",), ("app/b.py",)}
    queries = found[2]
    assert "`app/a.py:7`" in queries.content
    assert "and 41 more" in queries.content
    assert "What to do" in queries.content
    assert len(queries.files) == 50
    assert found[3].files == ("tests/a.py", "tests/b.py")
    assert all(one.layer == "security" for one in found)


def test_audit_of_nothing_is_empty_and_findings_are_limited() -> None:
    assert audit({"a.py": _facts()}) == ()
    many = {f"{number}`\n.env": _facts(Hit("aws-key", "secret", 5, 1, "It is known.")) for number in range(500)}
    found: tuple[Finding, ...] = audit(many)
    assert len(found) == 60
    assert all("\n" not in one.title and "`" not in one.title for one in found)


HOSTILE = {
    "one line": "a" * 1_000_000,
    "quotes": "\"'" * 125_000,
    "a name again and again": "password = " * 25_000,
    "open quotes": 'password = "' * 20_000,
    "calls in lines": 'execute(f"select \n' * 14_000,
    "calls without an end": "subprocess.run( \n" * 14_000 + "shell=True",
    "keys without a body": "-----BEGIN PRIVATE KEY-----\n" * 9_000,
    "addresses": "://a:" * 50_000,
    "blanks": "password" + " \n" * 120_000,
    "doors": "ingress { from_port = 22 \n" * 10_000 + '"0.0.0.0/0"',
    "odd letters": "İß\u2028\x00\ud800password='" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.yaml", "a.tf", "a.php"])
@pytest.mark.sampled
def test_hostile_files_are_scanned_in_time(name: str, path: str) -> None:
    assert len(_hits(path, HOSTILE[name])) <= 100
    assert_subquadratic_on(HOSTILE[name], lambda text: _hits(path, text))
