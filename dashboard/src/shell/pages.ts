import {
  IconBook2,
  IconBrain,
  IconCreditCard,
  IconHistory,
  IconHome,
  IconKey,
  IconMap2,
  IconMessageQuestion,
  IconSearch,
  IconSettings,
  IconSparkles,
  IconStack2,
  IconTimeline,
  IconUsers,
  IconWebhook,
  type Icon,
} from "@tabler/icons-react";
import type { Me } from "~/api/types";
import { manages } from "./login";

export interface Place {
  path: string;
  name: string;
  icon: Icon;
  /** Who is shown the way there; all, if not said. */
  open?: (me: Me) => boolean;
}

/** Pages of a project, below /p/<project>/. */
export const OF_PROJECT: Place[] = [
  { path: "review", name: "Review", icon: IconSparkles },
  { path: "memory", name: "Memory", icon: IconStack2 },
  { path: "map", name: "Map", icon: IconMap2 },
  { path: "brain", name: "Brain", icon: IconBrain },
  { path: "ask", name: "Ask", icon: IconMessageQuestion },
  { path: "sessions", name: "Sessions", icon: IconTimeline },
  { path: "genesis", name: "Genesis", icon: IconSearch },
  { path: "hygiene", name: "Hygiene", icon: IconBook2 },
  { path: "webhooks", name: "Webhooks", icon: IconWebhook },
  { path: "settings", name: "Project settings", icon: IconSettings },
];

/** Pages of the team. */
export const OF_TEAM: Place[] = [
  { path: "/", name: "Home", icon: IconHome },
  { path: "/team", name: "Team", icon: IconUsers },
  { path: "/keys", name: "Keys and agents", icon: IconKey },
  { path: "/billing", name: "Billing", icon: IconCreditCard, open: manages },
  { path: "/audit", name: "Audit log", icon: IconHistory, open: manages },
];
