import { Button, CopyButton, Group, Text } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import classes from "./keys.module.css";

/** A new API key. The server never shows it again. */
export function CreatedKey({ apiKey }: { apiKey: string }) {
  return (
    <div className={classes.secret}>
      <Text size="sm" fw={600} mb={6}>
        Copy your API key now. It won't be shown again.
      </Text>
      <Group gap="sm" align="center">
        <code className={classes.secretText}>{apiKey}</code>
        <CopyButton value={apiKey} timeout={2000}>
          {({ copied, copy }) => (
            <Button
              size="sm"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            >
              {copied ? "Copied" : "Copy key"}
            </Button>
          )}
        </CopyButton>
      </Group>
    </div>
  );
}
