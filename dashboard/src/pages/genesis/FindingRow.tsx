import { IconChevronRight } from "@tabler/icons-react";
import { Fragment, memo } from "react";
import { Markdown } from "~/parts/Markdown";
import { plainText } from "~/parts/plainText";
import { Tag } from "~/parts/Tag";
import { pluralize } from "~/parts/format";
import { describeImportance, LAYER_NAME, type Finding } from "./findings";
import classes from "./findings.module.css";

function Importance({ value }: { value: number }) {
  const [word, tone] = describeImportance(value);
  return (
    <Tag tone={tone} title="Importance, from 1 (very low) to 5 (critical)">
      {word} {value}
    </Tag>
  );
}

function FindingBody({ finding }: { finding: Finding }) {
  return (
    <div className={classes.body}>
      <Markdown text={finding.content} />
      {finding.files.length > 0 && (
        <div className={classes.files}>
          <strong>{finding.files.length === 1 ? "File" : "Files"}</strong>
          <ul>
            {finding.files.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {finding.tags.length > 0 && (
        <div className={classes.tags}>
          <span className="visually-hidden">Tags: </span>
          {finding.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </div>
      )}
    </div>
  );
}

/** Renders code spans; titles use no other Markdown. */
function FindingTitle({ title }: { title: string }) {
  return (
    <span>
      {title
        .split("`")
        .map((part, index) =>
          index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
        )}
    </span>
  );
}

interface Props {
  finding: Finding;
  open: boolean;
  toggle: (id: string) => void;
}

export const FindingRow = memo(function FindingRow({ finding, open, toggle }: Props) {
  return (
    <article className={classes.finding} data-open={open}>
      <div className={classes.findingHead}>
        <h3 className={classes.findingTitle}>
          <button type="button" aria-expanded={open} onClick={() => toggle(finding.id)}>
            <IconChevronRight size={16} className={classes.chevron} aria-hidden />
            <FindingTitle title={finding.title} />
          </button>
        </h3>
        <span className={classes.findingTags}>
          <Importance value={finding.importance} />
          <Tag tone="soft">{LAYER_NAME[finding.layer]}</Tag>
        </span>
      </div>
      {open ? (
        <FindingBody finding={finding} />
      ) : (
        <p className={classes.preview}>
          <span>{plainText(finding.content)}</span>
          {finding.files.length > 0 && (
            <small className={classes.fileCount}>{pluralize(finding.files.length, "file")}</small>
          )}
        </p>
      )}
    </article>
  );
});
