import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconBug } from "@tabler/icons-react";
import { Component, type ReactNode } from "react";
import { EmptyState } from "./Page";

interface Props {
  /** The current path. Navigating away clears the error. */
  path: string;
  children: ReactNode;
}

/** Contains a crash to the page it happened on. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: Props) {
    if (before.path !== this.props.path && this.state.error) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <EmptyState icon={<IconBug size={40} />} title="This page crashed">
        <Stack align="center" gap="sm">
          <Text size="sm">
            This is a bug in Loremark. Your data is safe, and the other pages still work. Try again or reload.
          </Text>
          <Code block>{error.message}</Code>
          <Group>
            <Button variant="default" onClick={() => this.setState({ error: null })}>
              Try again
            </Button>
            <Button variant="default" onClick={() => window.location.reload()}>
              Reload
            </Button>
          </Group>
        </Stack>
      </EmptyState>
    );
  }
}
