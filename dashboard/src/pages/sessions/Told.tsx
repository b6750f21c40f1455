import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { lookup } from "~/parts/lookup";
import { Tag } from "~/parts/Tag";
import {
  asList,
  asNumber,
  asText,
  filesOf,
  firstText,
  firstWords,
  isObject,
  without,
  type Payload,
} from "./payload";
import classes from "./events.module.css";
import { Fact, Files, Fold, Prose, Rest } from "./Shown";

const FINDING =
  "layer category type title name content description detail summary importance severity files tags";
const SCAN = "source nonce findings files deleted techStack";
const CONTEXT = "source nonce name title schemaKey contextType tier append content";
const OPERATION = "source nonce operation action op itemId id item";
const ITEM = "title content text description body type category schemaKey files confidence tags";
const MOST_FINDINGS = 40;

/** What a scan found in a codebase. */
export function Scan({ payload }: { payload: Payload }) {
  const findings = asList(payload["findings"]).filter(isObject);
  const files = filesOf(payload["files"]);
  const deleted = filesOf(payload["deleted"]);
  const stack = asList(payload["techStack"]).map((one) =>
    isObject(one) ? firstText(one, "name") : asText(one),
  );
  return (
    <>
      <div className={classes.factRow}>
        <Fact name="Findings">{findings.length}</Fact>
        {files.length > 0 && <Fact name="Files seen">{files.length}</Fact>}
        {deleted.length > 0 && <Fact name="Files gone">{deleted.length}</Fact>}
        {stack.length > 0 && <Fact name="Built with">{stack.filter(Boolean).join(", ")}</Fact>}
      </div>
      <ul className={classes.entries}>
        {findings.slice(0, MOST_FINDINGS).map((finding, place) => {
          const layer = firstText(finding, "layer", "category", "type");
          const body = firstWords(finding, "content", "description", "detail", "summary");
          const importance = firstText(finding, "importance", "severity");
          return (
            <li key={place} className={classes.entry}>
              <div className={classes.entryHead}>
                {layer && <Tag tone="soft">{layer}</Tag>}
                {importance && <Tag>importance {importance}</Tag>}
                <Text size="sm" fw={600}>
                  {firstText(finding, "title", "name")}
                </Text>
              </div>
              {body !== null && <Prose words={body} />}
              <Files files={filesOf(finding["files"])} />
              <Rest payload={without(finding, FINDING.split(" "))} name="More" />
            </li>
          );
        })}
      </ul>
      {findings.length > MOST_FINDINGS && (
        <Rest payload={{ findings: findings.slice(MOST_FINDINGS) }} name="Further findings" />
      )}
      {files.length > 0 && (
        <Fold title={`Files seen (${files.length})`}>{() => <Files files={files} />}</Fold>
      )}
      {deleted.length > 0 && (
        <Fold title={`Files gone (${deleted.length})`}>{() => <Files files={deleted} />}</Fold>
      )}
      <Rest payload={without(payload, SCAN.split(" "))} />
    </>
  );
}

/** The text of a context. */
export function ContextUpdate({ payload }: { payload: Payload }) {
  const content = firstWords(payload, "content");
  const tier = asNumber(payload["tier"]);
  const key = firstText(payload, "schemaKey");
  const kind = firstText(payload, "contextType");
  return (
    <>
      <div className={classes.factRow}>
        <Text size="sm" fw={600}>
          {firstText(payload, "name", "title")}
        </Text>
        {key && (
          <Fact name="Place">
            <code>{key}</code>
          </Fact>
        )}
        {kind && <Fact name="Kind">{kind}</Fact>}
        {tier !== null && <Fact name="Tier">{tier}</Fact>}
        {payload["append"] === true && <Tag tone="info">added at the end</Tag>}
      </div>
      {content !== null && <Prose words={content} />}
      <Rest payload={without(payload, CONTEXT.split(" "))} />
    </>
  );
}

const DONE: Record<string, string> = {
  update: "changes",
  edit: "changes",
  deprecate: "deprecates",
  archive: "deprecates",
  delete: "deletes",
  remove: "deletes",
};
const OURS = /^itm_[0-9a-z]{26}$/;

/** Somebody told the memory outright what to do. */
export function Operation({ payload, projectId }: { payload: Payload; projectId: string }) {
  const operation = firstText(payload, "operation", "action", "op").toLowerCase();
  const inner = payload["item"];
  const given = isObject(inner) ? inner : typeof inner === "string" ? { content: inner } : payload;
  const itemId = firstText(payload, "itemId", "id") || firstText(given, "itemId", "id");
  const content = firstWords(given, "content", "text", "description", "body");
  const type = firstText(given, "type", "category");
  const key = firstText(given, "schemaKey");
  const shown = [...OPERATION.split(" "), ...(given === payload ? ITEM.split(" ") : [])];
  return (
    <>
      <div className={classes.factRow}>
        <Tag tone="info">{lookup(DONE, operation) ?? "remembers"}</Tag>
        {type && <Tag tone="soft">{type}</Tag>}
        {itemId &&
          (OURS.test(itemId) ? (
            <Anchor component={Link} href={`/p/${projectId}/memory/${itemId}`} size="sm">
              The item
            </Anchor>
          ) : (
            <code>{itemId}</code>
          ))}
        {key && (
          <Fact name="Place">
            <code>{key}</code>
          </Fact>
        )}
      </div>
      {firstText(given, "title") && (
        <Text size="sm" fw={600}>
          {firstText(given, "title")}
        </Text>
      )}
      {content !== null && <Prose words={content} />}
      <Files files={filesOf(given["files"])} />
      {given !== payload && (
        <Rest payload={without(given, [...ITEM.split(" "), "itemId", "id"])} name="More of it" />
      )}
      <Rest payload={without(payload, shown)} />
    </>
  );
}
