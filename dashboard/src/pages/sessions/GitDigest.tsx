import { Text } from "@mantine/core";
import { IconGitBranch, IconGitCommit } from "@tabler/icons-react";
import { CopyIconButton } from "~/parts/Copy";
import { pluralize, formatNumber, formatDateTime } from "~/parts/format";
import {
  asList,
  asNumber,
  filePaths,
  firstText,
  firstTextValue,
  isObject,
  without,
  type Payload,
  type TextValue,
} from "./payload";
import classes from "./events.module.css";
import { PatchView, Fact, Files, Collapsible, Prose, OtherFields } from "./PayloadFields";

const SHORT_SHA_CHARS = 10;
const COMMIT_FIELDS =
  "sha commit hash id parents message subject title body author date timestamp files insertions deletions additions diff patch";
const DIGEST_FIELDS =
  "source nonce branch defaultBranch headCommitSha baseCommitSha head headSha mergedBranches commits";

const formatDate = (text: string) => (text && !Number.isNaN(Date.parse(text)) ? formatDateTime(text) : text);

function diffOf(commit: Payload): TextValue | null {
  const diff = commit["diff"];
  return isObject(diff) && !("$blob" in diff)
    ? firstTextValue(diff, "text", "diff", "patch")
    : firstTextValue(commit, "diff", "patch");
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
  const files = filePaths(commit["files"]);
  const diff = diffOf(commit);
  const facts = [author(commit), formatDate(firstText(commit, "date", "timestamp"))].filter(Boolean);
  return (
    <li className={classes.entry}>
      <Text size="sm" fw={600} className={classes.subject}>
        <IconGitCommit size={16} aria-hidden /> <span>{subject || "No commit message"}</span>
      </Text>
      <div className={classes.facts}>
        {sha && (
          <span className={classes.sha}>
            <code title={sha}>{sha.slice(0, SHORT_SHA_CHARS)}</code>
            <CopyIconButton text={sha} label="Copy commit SHA" />
          </span>
        )}
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {added !== null && <span className={classes.added}>+{formatNumber(added)}</span>}
        {removed !== null && <span className={classes.removed}>−{formatNumber(removed)}</span>}
      </div>
      {body && <Prose value={body} />}
      <Files files={files} />
      {diff !== null && (
        <Collapsible
          title={`Changes${files.length ? ` in ${pluralize(files.length, "file")}` : ""}`}
          open={open}
        >
          {() => <PatchView patch={diff} label={`Changes: ${subject}`} />}
        </Collapsible>
      )}
      <OtherFields payload={without(commit, COMMIT_FIELDS.split(" "))} name="More" />
    </li>
  );
}

/** The commits of a `git_digest` event. */
export function GitDigest({ payload }: { payload: Payload }) {
  const listed = asList(payload["commits"]).map((entry) =>
    isObject(entry) ? entry : { message: String(entry) },
  );
  const single = listed.length === 0 && firstText(payload, "message", "subject") !== "";
  const commits = single ? [payload] : listed;
  const branch = firstText(payload, "branch");
  const merged = asList(payload["mergedBranches"]).map((entry) =>
    isObject(entry) ? firstText(entry, "name", "branch") : String(entry),
  );
  const rest = without(payload, [...DIGEST_FIELDS.split(" "), ...(single ? COMMIT_FIELDS.split(" ") : [])]);
  return (
    <>
      <div className={classes.factRow}>
        {branch && (
          <Fact name="Branch">
            <IconGitBranch size={14} aria-hidden /> <code>{branch}</code>
          </Fact>
        )}
        {merged.length > 0 && <Fact name="Merged">{merged.join(", ")}</Fact>}
        <Fact name="Commits">{formatNumber(commits.length)}</Fact>
      </div>
      <ul className={classes.entries}>
        {commits.map((commit, index) => (
          <Commit key={index} commit={commit} open={index === 0 && commits.length < 4} />
        ))}
      </ul>
      <OtherFields payload={rest} />
    </>
  );
}
