import type { components } from "./schema";

type Shapes = components["schemas"];

export type CurrentUser = Shapes["CurrentUser"];
export type Project = Shapes["ProjectEntry"];
export type Item = Shapes["MemoryItem"];
export type ItemType = Item["type"];
export type ItemStatus = Item["status"];
export type ItemFlag = Item["flags"][number];
export type Context = Shapes["ContextDetail"];
export type Revision = Shapes["Revision"];
export type Session = Shapes["SessionDetail"];
export type SessionEvent = Shapes["SessionEvent"];
export type Job = Shapes["EnrichmentJob"];
export type Source = Shapes["Source"];
export type Reading = Shapes["ReadingEntry"];
