import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import classes from "./parts.module.css";

export function CopyIconButton({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={copied ? "Copied" : label}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** Preformatted text with a copy button. */
export function CodeBlock({ children, label }: { children: string; label?: string }) {
  return (
    <div className={classes.copy}>
      <pre className={classes.code} tabIndex={0}>
        {children}
      </pre>
      <div className={classes.copyButton}>
        <CopyIconButton text={children} label={label} />
      </div>
    </div>
  );
}
