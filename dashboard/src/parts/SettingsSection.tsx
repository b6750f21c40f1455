import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./settingsSection.module.css";

/** A settings group: title and description on the left, controls on the right. */
export function SettingsSection({
  title,
  about,
  children,
  danger,
}: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
  danger?: boolean;
}) {
  return (
    <section className={`${classes.section} ${danger ? classes.danger : ""}`} aria-label={title}>
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        {about && (
          <Text size="sm" c="dimmed" mt={4} component="div">
            {about}
          </Text>
        )}
      </div>
      <div className={classes.settings}>{children}</div>
    </section>
  );
}
