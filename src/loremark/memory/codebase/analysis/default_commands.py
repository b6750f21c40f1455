"""Default commands of common project types, detected by a marker file."""

from __future__ import annotations

from collections.abc import Collection

_BY_FILE = (
    ("manage.py", "python manage.py runserver; python manage.py test; python manage.py migrate"),
    ("bin/rails", "bin/rails server; bin/rails db:migrate; bin/rails console"),
    ("artisan", "php artisan serve; php artisan migrate; php artisan test"),
    ("go.mod", "go build ./...; go test ./..."),
    ("Cargo.toml", "cargo build; cargo test; cargo run"),
    ("mvnw", "./mvnw package; ./mvnw test"),
    ("gradlew", "./gradlew build; ./gradlew test"),
    ("mix.exs", "mix compile; mix test"),
    ("pubspec.yaml", "flutter run; flutter test"),
)


def default_commands(paths: Collection[str]) -> list[tuple[str, list[str]]]:
    """Marker files in the root directory with their default commands."""
    found = [(name, commands.split("; ")) for name, commands in _BY_FILE if name in paths]
    if ".rspec" in paths or "spec/spec_helper.rb" in paths:
        found.append((".rspec" if ".rspec" in paths else "spec/spec_helper.rb", ["bundle exec rspec"]))
    solution = next((path for path in sorted(paths) if "/" not in path and path.endswith((".sln", ".slnx"))), None)
    if solution is not None:
        found.append((solution, ["dotnet build", "dotnet test"]))
    return found
