import { Button, CopyButton, Group, Text } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import classes from "./keys.module.css";

/** A key just made: here, and nowhere else ever again. */
export function NewKeyShown({ apiKey }: { apiKey: string }) {
  return (
    <div className={classes.secret}>
      <Text size="sm" fw={600} mb={6}>
        Your key. It is shown only this once.
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
              {copied ? "Copied" : "Copy the key"}
            </Button>
          )}
        </CopyButton>
      </Group>
    </div>
  );
}
