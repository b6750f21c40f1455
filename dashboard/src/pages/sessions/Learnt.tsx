import { Anchor, Button, Text } from "@mantine/core";
import { Link } from "wouter";
import { usePages } from "~/api/hooks";
import type { Session } from "~/api/types";
import { Problem } from "~/parts/Page";
import { FlagTags, StatusTag, TypeTag } from "~/parts/Tag";
import { count } from "~/parts/Time";
import classes from "./sessions.module.css";

const PAGE = 10;

/** The memories that come from this session. */
export function Learnt({ session }: { session: Session }) {
  const { projectId } = session;
  const found = usePages("/api/v2/items", {
    query: { projectId, sessionId: session.id, limit: PAGE, count: true },
  });
  const items = (found.data?.pages ?? []).flatMap((page) => page.data);
  const total = found.data?.pages[0]?.total ?? items.length;
  return (
    <section className={classes.panel} aria-labelledby="learnt">
      <h2 className={classes.panelTitle} id="learnt">
        Items from it {total > 0 && <span className={classes.number}>{count(total)}</span>}
      </h2>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      {found.data && items.length === 0 && (
        <Text size="sm" c="dimmed">
          None yet. What is found in its events appears here, each with the words it rests on.
        </Text>
      )}
      <ul className={classes.learnt}>
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
