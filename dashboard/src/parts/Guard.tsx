import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconBug } from "@tabler/icons-react";
import { Component, type ReactNode } from "react";
import { Empty } from "./Page";

interface Props {
  /** Where one is: another place is tried anew. */
  place: string;
  children: ReactNode;
}

/** A page that fails takes only itself down, and says so. */
export class Guard extends Component<Props, { problem: Error | null }> {
  override state = { problem: null as Error | null };

  static getDerivedStateFromError(problem: Error) {
    return { problem };
  }

  override componentDidUpdate(before: Props) {
    if (before.place !== this.props.place && this.state.problem) this.setState({ problem: null });
  }

  override render() {
    const { problem } = this.state;
    if (!problem) return this.props.children;
    return (
      <Empty icon={<IconBug size={40} />} title="This page has failed">
        <Stack align="center" gap="sm">
          <Text size="sm">That is a fault of ours; nothing of yours is lost. The other pages work on.</Text>
          <Code block>{problem.message}</Code>
          <Group>
            <Button variant="default" onClick={() => this.setState({ problem: null })}>
              Try again
            </Button>
            <Button variant="default" onClick={() => window.location.reload()}>
              Load the page anew
            </Button>
          </Group>
        </Stack>
      </Empty>
    );
  }
}
