import { Button, ScrollArea, Table, Text } from "@mantine/core";
import { useState } from "react";
import { formatNumber, formatDateTime, RelativeTime } from "~/parts/format";
import classes from "./billing.module.css";
import { describeTransaction, type Transaction } from "./balanceHistory";
import { formatMoney } from "./catalog";

const INITIAL_ROWS = 8;
const MORE_ROWS = 50;
/** The server returns at most this many transactions. */
const MAX_TRANSACTIONS = 1000;

/** Credit purchases and usage, newest first. */
export function Transactions({ transactions }: { transactions: Transaction[] }) {
  const [limit, setLimit] = useState(INITIAL_ROWS);
  return (
    <div>
      <ScrollArea.Autosize
        mah={320}
        type="auto"
        viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Transactions" }}
      >
        <Table className={classes.transactions} verticalSpacing={6} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Date</Table.Th>
              <Table.Th>Description</Table.Th>
              <Table.Th ta="right">Tokens</Table.Th>
              <Table.Th ta="right">Price</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {transactions.slice(0, limit).map((transaction) => (
              <Table.Tr key={transaction.id}>
                <Table.Td title={formatDateTime(transaction.createdAt)} className={classes.nowrap}>
                  <RelativeTime at={transaction.createdAt} />
                </Table.Td>
                <Table.Td className={classes.description}>{describeTransaction(transaction)}</Table.Td>
                <Table.Td ta="right" className={transaction.amount > 0 ? classes.credit : classes.nowrap}>
                  {transaction.amount > 0 ? "+" : ""}
                  {formatNumber(transaction.amount)}
                </Table.Td>
                <Table.Td ta="right" className={classes.nowrap}>
                  {transaction.price === undefined ? "" : formatMoney(transaction.price)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {transactions.length > limit && (
        <Button variant="subtle" size="xs" mt={4} onClick={() => setLimit(limit + MORE_ROWS)}>
          Show more
        </Button>
      )}
      {transactions.length >= MAX_TRANSACTIONS && limit >= MAX_TRANSACTIONS && (
        <Text size="xs" c="dimmed">
          Showing the newest 1,000 transactions.
        </Text>
      )}
    </div>
  );
}
