import { Text } from "@mantine/core";
import { IconGitBranch, IconGitCommit } from "@tabler/icons-react";
import { Copy } from "~/parts/Copy";
import { amount, count, dateTime } from "~/parts/Time";
import {
  asList,
  asNumber,
  filesOf,
  firstText,
  firstWords,
  isObject,
  without,
  type Payload,
  type Words,
} from "./payload";
import classes from "./events.module.css";
import { Change, Fact, Files, Fold, Prose, Rest } from "./Shown";

const SHORT = 10;
const COMMIT =
  "sha commit hash id message subject title body author date timestamp files insertions deletions additions diff patch";
const DIGEST =
  "source nonce branch defaultBranch headCommitSha baseCommitSha head headSha mergedBranches commits";

const when = (text: string) => (text && !Number.isNaN(Date.parse(text)) ? dateTime(text) : text);

function diffOf(commit: Payload): Words | null {
  const diff = commit["diff"];
  return isObject(diff) && !("$blob" in diff)
    ? firstWords(diff, "text", "diff", "patch")
    : firstWords(commit, "diff", "patch");
}

function author(commit: Payload): string {
  const by = commit["author"];
  return isObject(by) ? firstText(by, "name", "login", "email") : firstText(commit, "author");
}

function Commit({ commit, open }: { commit: Payload; open: boolean }) {
  const message = firstText(commit, "message", "subject", "title");
  const [subject = "", ...others] = message.split("\n");
  const body = others.join("\n").trim() || firstText(commit, "body");
  const sha = firstText(commit, "sha", "commit", "hash", "id");
  const added = asNumber(commit["insertions"]) ?? asNumber(commit["additions"]);
  const removed = asNumber(commit["deletions"]);
  const files = filesOf(commit["files"]);
  const diff = diffOf(commit);
  const facts = [author(commit), when(firstText(commit, "date", "timestamp"))].filter(Boolean);
  return (
    <li className={classes.entry}>
      <Text size="sm" fw={600} className={classes.subject}>
        <IconGitCommit size={16} aria-hidden /> <span>{subject || "A commit without a message"}</span>
      </Text>
      <div className={classes.facts}>
        {sha && (
          <span className={classes.sha}>
            <code title={sha}>{sha.slice(0, SHORT)}</code>
            <Copy text={sha} label="Copy the commit's name" />
          </span>
        )}
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {added !== null && <span className={classes.plus}>+{count(added)}</span>}
        {removed !== null && <span className={classes.minus}>−{count(removed)}</span>}
      </div>
      {body && <Prose words={body} />}
      <Files files={files} />
      {diff !== null && (
        <Fold title={`What changed${files.length ? ` in ${amount(files.length, "file")}` : ""}`} open={open}>
          {() => <Change patch={diff} label={`What changed: ${subject}`} />}
        </Fold>
      )}
      <Rest payload={without(commit, COMMIT.split(" "))} name="More" />
    </li>
  );
}

/** Commits, as git told them. */
export function Digest({ payload }: { payload: Payload }) {
  const listed = asList(payload["commits"]).map((one) => (isObject(one) ? one : { message: String(one) }));
  const single = listed.length === 0 && firstText(payload, "message", "subject") !== "";
  const commits = single ? [payload] : listed;
  const branch = firstText(payload, "branch");
  const merged = asList(payload["mergedBranches"]).map((one) =>
    isObject(one) ? firstText(one, "name", "branch") : String(one),
  );
  const rest = without(payload, [...DIGEST.split(" "), ...(single ? COMMIT.split(" ") : [])]);
  return (
    <>
      <div className={classes.factRow}>
        {branch && (
          <Fact name="Branch">
            <IconGitBranch size={14} aria-hidden /> <code>{branch}</code>
          </Fact>
        )}
        {merged.length > 0 && <Fact name="Merged">{merged.join(", ")}</Fact>}
        <Fact name="Commits">{count(commits.length)}</Fact>
      </div>
      <ul className={classes.entries}>
        {commits.map((commit, place) => (
          <Commit key={place} commit={commit} open={place === 0 && commits.length < 4} />
        ))}
      </ul>
      <Rest payload={rest} />
    </>
  );
}
