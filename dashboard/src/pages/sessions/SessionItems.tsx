import { Anchor, Button, Text } from "@mantine/core";
import { Link } from "wouter";
import { useGetPages } from "~/api/hooks";
import type { Session } from "~/api/types";
import { ErrorAlert } from "~/parts/Page";
import { FlagTags, StatusTag, TypeTag } from "~/parts/Tag";
import { formatNumber } from "~/parts/format";
import classes from "./sessions.module.css";

const PAGE_SIZE = 10;

/** Memories extracted from this session. */
export function SessionItems({ session }: { session: Session }) {
  const { projectId } = session;
  const found = useGetPages("/api/v2/items", {
    query: { projectId, sessionId: session.id, limit: PAGE_SIZE, count: true },
  });
  const items = (found.data?.pages ?? []).flatMap((page) => page.data);
  const total = found.data?.pages[0]?.total ?? items.length;
  return (
    <section className={classes.panel} aria-labelledby="session-items">
      <h2 className={classes.panelTitle} id="session-items">
        Extracted memories {total > 0 && <span className={classes.number}>{formatNumber(total)}</span>}
      </h2>
      {found.error && <ErrorAlert error={found.error} retry={() => void found.refetch()} />}
      {found.data && items.length === 0 && (
        <Text size="sm" c="dimmed">
          No memories yet. Enrich the session to extract memories from its events, each with its evidence.
        </Text>
      )}
      <ul className={classes.items}>
        {items.map((item) => (
          <li key={item.id}>
            <Anchor component={Link} href={`/p/${projectId}/memory/${item.id}`} size="sm" fw={600}>
              {item.title}
            </Anchor>
            <div className={classes.tags}>
              <TypeTag type={item.type} />
              <StatusTag status={item.status} />
              <FlagTags flags={item.flags} />
            </div>
          </li>
        ))}
      </ul>
      {found.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          mt="sm"
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </section>
  );
}
