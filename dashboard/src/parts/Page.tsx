import {
  Alert,
  Box,
  Button,
  Center,
  Group,
  Loader,
  Stack,
  Text,
  Title,
  type TitleOrder,
} from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useEffect, type ReactNode } from "react";
import type { ApiError } from "~/api/client";
import { errorText } from "./errorText";
import classes from "./parts.module.css";

interface PageProps {
  title: string;
  /** One sentence about what this page is for. */
  about?: ReactNode;
  actions?: ReactNode;
  /** Use the full window width: for charts and side-by-side lists. */
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
        <Box miw={0} flex="1 1 16rem" className={classes.heading}>
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

/** Shows why something failed to load, with a retry button. */
export function ErrorAlert({ error, retry }: { error: ApiError | Error; retry?: () => void }) {
  return (
    <Alert color="red" variant="outline" icon={<IconAlertCircle />} title="Couldn't load this" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{errorText(error)}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** Heading level, where the page has no other heading. */
  titleOrder?: TitleOrder;
  /** What will appear here, and how to get it. */
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon, title, titleOrder, children, action }: EmptyStateProps) {
  return (
    <Center className={classes.empty}>
      <Stack align="center" gap="xs" maw={460} ta="center">
        <Box c="dimmed">{icon}</Box>
        {titleOrder ? <Title order={titleOrder}>{title}</Title> : <Text fw={600}>{title}</Text>}
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
  query: { data: T | undefined; error: ApiError | Error | null; refetch: () => unknown };
  children: (data: T) => ReactNode;
}

/** Renders a query's data, a spinner while it loads, or its error. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorAlert error={query.error} retry={() => void query.refetch()} />;
  return (
    <Center py="xl">
      <Loader size="sm" role="status" aria-label="Loading" />
    </Center>
  );
}
