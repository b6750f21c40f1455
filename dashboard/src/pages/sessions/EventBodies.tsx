import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { lookup } from "~/parts/lookup";
import { Tag } from "~/parts/Tag";
import {
  asList,
  asNumber,
  asText,
  filePaths,
  firstText,
  firstTextValue,
  isObject,
  without,
  type Payload,
} from "./payload";
import classes from "./events.module.css";
import { Fact, Files, Collapsible, Prose, OtherFields } from "./PayloadFields";

const FINDING_FIELDS =
  "layer category type title name content description detail summary importance severity files tags";
const SCAN_FIELDS = "source nonce findings files deleted techStack";
const CONTEXT_FIELDS = "source nonce name title schemaKey contextType tier append content";
const OPERATION_FIELDS = "source nonce operation action op itemId id item";
const ITEM_FIELDS = "title content text description body type category schemaKey files confidence tags";
const MAX_FINDINGS = 40;

/** The contents of a `scan_result` event. */
export function ScanResult({ payload }: { payload: Payload }) {
  const findings = asList(payload["findings"]).filter(isObject);
  const files = filePaths(payload["files"]);
  const deleted = filePaths(payload["deleted"]);
  const stack = asList(payload["techStack"]).map((entry) =>
    isObject(entry) ? firstText(entry, "name") : asText(entry),
  );
  return (
    <>
      <div className={classes.factRow}>
        <Fact name="Findings">{findings.length}</Fact>
        {files.length > 0 && <Fact name="Files scanned">{files.length}</Fact>}
        {deleted.length > 0 && <Fact name="Files deleted">{deleted.length}</Fact>}
        {stack.length > 0 && <Fact name="Tech stack">{stack.filter(Boolean).join(", ")}</Fact>}
      </div>
      <ul className={classes.entries}>
        {findings.slice(0, MAX_FINDINGS).map((finding, index) => {
          const layer = firstText(finding, "layer", "category", "type");
          const body = firstTextValue(finding, "content", "description", "detail", "summary");
          const importance = firstText(finding, "importance", "severity");
          return (
            <li key={index} className={classes.entry}>
              <div className={classes.entryHead}>
                {layer && <Tag tone="soft">{layer}</Tag>}
                {importance && <Tag>importance: {importance}</Tag>}
                <Text size="sm" fw={600}>
                  {firstText(finding, "title", "name")}
                </Text>
              </div>
              {body !== null && <Prose value={body} />}
              <Files files={filePaths(finding["files"])} />
              <OtherFields payload={without(finding, FINDING_FIELDS.split(" "))} name="More" />
            </li>
          );
        })}
      </ul>
      {findings.length > MAX_FINDINGS && (
        <OtherFields payload={{ findings: findings.slice(MAX_FINDINGS) }} name="More findings" />
      )}
      {files.length > 0 && (
        <Collapsible title={`Files scanned (${files.length})`}>{() => <Files files={files} />}</Collapsible>
      )}
      {deleted.length > 0 && (
        <Collapsible title={`Files deleted (${deleted.length})`}>
          {() => <Files files={deleted} />}
        </Collapsible>
      )}
      <OtherFields payload={without(payload, SCAN_FIELDS.split(" "))} />
    </>
  );
}

/** The contents of a `context_update` event. */
export function ContextUpdate({ payload }: { payload: Payload }) {
  const content = firstTextValue(payload, "content");
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
          <Fact name="Schema key">
            <code>{key}</code>
          </Fact>
        )}
        {kind && <Fact name="Type">{kind}</Fact>}
        {tier !== null && <Fact name="Brain layer">{tier}</Fact>}
        {payload["append"] === true && <Tag tone="info">appended</Tag>}
      </div>
      {content !== null && <Prose value={content} />}
      <OtherFields payload={without(payload, CONTEXT_FIELDS.split(" "))} />
    </>
  );
}

const OPERATION_LABELS: Record<string, string> = {
  update: "update",
  edit: "update",
  deprecate: "deprecate",
  archive: "deprecate",
  delete: "delete",
  remove: "delete",
};
const ITEM_ID = /^itm_[0-9a-z]{26}$/;

/** The contents of a `memory_operation` event. */
export function MemoryOperation({ payload, projectId }: { payload: Payload; projectId: string }) {
  const operation = firstText(payload, "operation", "action", "op").toLowerCase();
  const inner = payload["item"];
  const item = isObject(inner) ? inner : typeof inner === "string" ? { content: inner } : payload;
  const itemId = firstText(payload, "itemId", "id") || firstText(item, "itemId", "id");
  const content = firstTextValue(item, "content", "text", "description", "body");
  const type = firstText(item, "type", "category");
  const key = firstText(item, "schemaKey");
  const shown = [...OPERATION_FIELDS.split(" "), ...(item === payload ? ITEM_FIELDS.split(" ") : [])];
  return (
    <>
      <div className={classes.factRow}>
        <Tag tone="info">{lookup(OPERATION_LABELS, operation) ?? "create"}</Tag>
        {type && <Tag tone="soft">{type}</Tag>}
        {itemId &&
          (ITEM_ID.test(itemId) ? (
            <Anchor component={Link} href={`/p/${projectId}/memory/${itemId}`} size="sm">
              Open memory
            </Anchor>
          ) : (
            <code>{itemId}</code>
          ))}
        {key && (
          <Fact name="Schema key">
            <code>{key}</code>
          </Fact>
        )}
      </div>
      {firstText(item, "title") && (
        <Text size="sm" fw={600}>
          {firstText(item, "title")}
        </Text>
      )}
      {content !== null && <Prose value={content} />}
      <Files files={filePaths(item["files"])} />
      {item !== payload && (
        <OtherFields payload={without(item, [...ITEM_FIELDS.split(" "), "itemId", "id"])} name="More" />
      )}
      <OtherFields payload={without(payload, shown)} />
    </>
  );
}
