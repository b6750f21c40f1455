import {
  IconBook2,
  IconBrain,
  IconChartBar,
  IconCpu,
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
import type { CurrentUser } from "~/api/types";
import { canManageTeam } from "./login";

export interface NavPage {
  path: string;
  name: string;
  icon: Icon;
  /** Who sees this page in the navigation; everyone by default. */
  visibleTo?: (me: CurrentUser) => boolean;
}

/** Project pages, under /p/<project>/. */
export const PROJECT_PAGES: NavPage[] = [
  { path: "review", name: "Review", icon: IconSparkles },
  { path: "memory", name: "Memory", icon: IconStack2 },
  { path: "map", name: "Map", icon: IconMap2 },
  { path: "brain", name: "Brain", icon: IconBrain },
  { path: "ask", name: "Ask", icon: IconMessageQuestion },
  { path: "sessions", name: "Sessions", icon: IconTimeline },
  { path: "genesis", name: "Genesis", icon: IconSearch },
  { path: "hygiene", name: "Hygiene", icon: IconBook2 },
  { path: "usefulness", name: "Usefulness", icon: IconChartBar },
  { path: "webhooks", name: "Webhooks", icon: IconWebhook },
  { path: "settings", name: "Project settings", icon: IconSettings },
];

/** Team pages. */
export const TEAM_PAGES: NavPage[] = [
  { path: "/", name: "Home", icon: IconHome },
  { path: "/team", name: "Team", icon: IconUsers },
  { path: "/keys", name: "API keys", icon: IconKey },
  { path: "/billing", name: "Billing", icon: IconCreditCard, visibleTo: canManageTeam },
  { path: "/models", name: "Models", icon: IconCpu, visibleTo: canManageTeam },
  { path: "/audit", name: "Audit log", icon: IconHistory, visibleTo: canManageTeam },
];
