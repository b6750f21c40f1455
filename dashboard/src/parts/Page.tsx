import { Alert, Box, Button, Center, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useEffect, type ReactNode } from "react";
import type { ApiError } from "~/api/client";
import classes from "./parts.module.css";

interface PageProps {
  title: string;
  /** One sentence on what this page is for. */
  about?: ReactNode;
  actions?: ReactNode;
  /** As wide as the window: for pictures and lists side by side. */
  wide?: boolean;
  children: ReactNode;
}

export function Page({ title, about, actions, wide, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Loremark`;
  }, [title]);
  return (
    <Box className={wide ? classes.wide : classes.page}>
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <Box miw={0} flex="1 1 16rem" className={classes.said}>
          <Title order={1}>{title}</Title>
          {about && (
            <Text c="dimmed" mt={4}>
              {about}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Box>
  );
}

/** An error in words, with a way to try again. */
export function Problem({ error, retry }: { error: ApiError | Error; retry?: () => void }) {
  return (
    <Alert
      color="red"
      variant="outline"
      icon={<IconAlertCircle />}
      title="This could not be shown"
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{error.message}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

interface EmptyProps {
  icon: ReactNode;
  title: string;
  /** What would stand here, and how it comes to be. */
  children?: ReactNode;
  action?: ReactNode;
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <Center className={classes.empty}>
      <Stack align="center" gap="xs" maw={460} ta="center">
        <Box c="dimmed">{icon}</Box>
        <Text fw={600}>{title}</Text>
        {children && (
          <Text c="dimmed" size="sm" component="div">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}

interface LoadedProps<T> {
  of: { data: T | undefined; error: ApiError | Error | null; refetch: () => unknown };
  children: (data: T) => ReactNode;
}

/** What was asked for; or that it is on its way; or why it is not there. */
export function Loaded<T>({ of, children }: LoadedProps<T>) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <Problem error={of.error} retry={() => void of.refetch()} />;
  return (
    <Center py="xl">
      <Loader size="sm" aria-label="Loading" />
    </Center>
  );
}
