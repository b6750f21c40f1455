import { Center, Loader } from "@mantine/core";
import { IconMapOff } from "@tabler/icons-react";
import { lazy, Suspense, type ComponentType } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { Guard } from "./parts/Guard";
import { Empty } from "./parts/Page";
import { SignedIn } from "./shell/login";
import { OfProject } from "./shell/project";
import { Shell } from "./shell/Shell";

/** Each page comes when it is first opened: a module with the page as its default. */
const OPEN: Record<string, ComponentType> = {
  "/sign-in": lazy(() => import("./pages/door/SignIn")),
  "/register": lazy(() => import("./pages/door/Register")),
  "/invitation": lazy(() => import("./pages/door/Invitation")),
};
const TEAM: Record<string, ComponentType> = {
  "/": lazy(() => import("./pages/home/Home")),
  "/welcome": lazy(() => import("./pages/door/Welcome")),
  "/team": lazy(() => import("./pages/team/Team")),
  "/keys": lazy(() => import("./pages/keys/Keys")),
  "/billing": lazy(() => import("./pages/billing/Billing")),
  "/audit": lazy(() => import("./pages/audit/Audit")),
  "/account": lazy(() => import("./pages/account/Account")),
};
const PROJECT: Record<string, ComponentType> = {
  "/p/:projectId/review": lazy(() => import("./pages/review/Review")),
  "/p/:projectId/memory": lazy(() => import("./pages/memory/Memory")),
  "/p/:projectId/memory/:itemId": lazy(() => import("./pages/item/Item")),
  "/p/:projectId/map/:contextId?": lazy(() => import("./pages/map/Map")),
  "/p/:projectId/brain": lazy(() => import("./pages/brain/Brain")),
  "/p/:projectId/ask/:chatId?": lazy(() => import("./pages/ask/Ask")),
  "/p/:projectId/sessions": lazy(() => import("./pages/sessions/Sessions")),
  "/p/:projectId/sessions/:sessionId": lazy(() => import("./pages/sessions/Session")),
  "/p/:projectId/genesis": lazy(() => import("./pages/genesis/Genesis")),
  "/p/:projectId/hygiene": lazy(() => import("./pages/hygiene/Hygiene")),
  "/p/:projectId/webhooks": lazy(() => import("./pages/webhooks/Webhooks")),
  "/p/:projectId/settings": lazy(() => import("./pages/project/ProjectSettings")),
};

function Waiting() {
  return (
    <Center py="20vh">
      <Loader aria-label="Loading" />
    </Center>
  );
}

function Inside() {
  const [place] = useLocation();
  return (
    <SignedIn>
      <Shell>
        <Guard place={place}>
          <Suspense fallback={<Waiting />}>
            <Switch>
              {Object.entries(TEAM).map(([path, Shown]) => (
                <Route key={path} path={path}>
                  <Shown />
                </Route>
              ))}
              {Object.entries(PROJECT).map(([path, Shown]) => (
                <Route key={path} path={path}>
                  <OfProject>
                    <Shown />
                  </OfProject>
                </Route>
              ))}
              <Route path="/p/:projectId">
                {({ projectId }) => <Redirect to={`/p/${projectId}/memory`} replace />}
              </Route>
              <Route>
                <Empty icon={<IconMapOff size={40} />} title="There is no such page">
                  The address is wrong or old.
                </Empty>
              </Route>
            </Switch>
          </Suspense>
        </Guard>
      </Shell>
    </SignedIn>
  );
}

export function App() {
  return (
    <Suspense fallback={<Waiting />}>
      <Switch>
        {Object.entries(OPEN).map(([path, Shown]) => (
          <Route key={path} path={path}>
            <Shown />
          </Route>
        ))}
        <Route>
          <Inside />
        </Route>
      </Switch>
    </Suspense>
  );
}
