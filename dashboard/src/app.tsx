import { Button, Center, Container, Loader } from "@mantine/core";
import { IconError404 } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, type ComponentType } from "react";
import { Link, matchRoute, Redirect, Route, Switch, useLocation, useRouter } from "wouter";
import { ErrorBoundary } from "./parts/ErrorBoundary";
import { EmptyState } from "./parts/Page";
import { RequireSignIn } from "./shell/login";
import { ProjectProvider } from "./shell/project";
import { Shell } from "./shell/Shell";

/** Pages are loaded when first opened; each module exports its page as default. */
const PUBLIC_PAGES: Record<string, ComponentType> = {
  "/sign-in": lazy(() => import("./pages/auth/SignIn")),
  "/register": lazy(() => import("./pages/auth/Register")),
  "/invitation": lazy(() => import("./pages/auth/Invitation")),
};
const TEAM_PAGES: Record<string, ComponentType> = {
  "/": lazy(() => import("./pages/home/Home")),
  "/welcome": lazy(() => import("./pages/welcome/Welcome")),
  "/team": lazy(() => import("./pages/team/Team")),
  "/keys": lazy(() => import("./pages/keys/Keys")),
  "/billing": lazy(() => import("./pages/billing/Billing")),
  "/models": lazy(() => import("./pages/models/Models")),
  "/audit": lazy(() => import("./pages/audit/Audit")),
  "/account": lazy(() => import("./pages/account/Account")),
};
const PROJECT_PAGES: Record<string, ComponentType> = {
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
  "/p/:projectId/usefulness": lazy(() => import("./pages/usefulness/Usefulness")),
  "/p/:projectId/webhooks": lazy(() => import("./pages/webhooks/Webhooks")),
  "/p/:projectId/settings": lazy(() => import("./pages/project/ProjectSettings")),
};

const PROJECT_ROOT = "/p/:projectId";
const SIGNED_IN_PATHS = [...Object.keys(TEAM_PAGES), PROJECT_ROOT, ...Object.keys(PROJECT_PAGES)];

function PageLoader() {
  return (
    <Center py="20vh">
      <Loader role="status" aria-label="Loading" />
    </Center>
  );
}

function SignedInPages() {
  const [path] = useLocation();
  return (
    <RequireSignIn>
      <Shell>
        <ErrorBoundary path={path}>
          <Suspense fallback={<PageLoader />}>
            <Switch>
              {Object.entries(TEAM_PAGES).map(([path, Page]) => (
                <Route key={path} path={path}>
                  <Page />
                </Route>
              ))}
              {Object.entries(PROJECT_PAGES).map(([path, Page]) => (
                <Route key={path} path={path}>
                  <ProjectProvider>
                    <Page />
                  </ProjectProvider>
                </Route>
              ))}
              <Route path={PROJECT_ROOT}>
                {({ projectId }) => <Redirect to={`/p/${projectId}/memory`} replace />}
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </Shell>
    </RequireSignIn>
  );
}

function NotFound() {
  useEffect(() => {
    document.title = "Page not found · Loremark";
  }, []);
  return (
    <Container component="main" size="sm" py="20vh">
      <EmptyState
        icon={<IconError404 size={48} />}
        title="Page not found"
        titleOrder={1}
        action={
          <Button component={Link} href="/" mt="xs">
            Go to Home
          </Button>
        }
      >
        The link may be broken, or the page may have been removed.
      </EmptyState>
    </Container>
  );
}

export function App() {
  const [path] = useLocation();
  const { parser } = useRouter();
  const needsSignIn = SIGNED_IN_PATHS.some((pattern) => matchRoute(parser, pattern, path)[0]);
  return (
    <Suspense fallback={<PageLoader />}>
      <Switch>
        {Object.entries(PUBLIC_PAGES).map(([path, Page]) => (
          <Route key={path} path={path}>
            <Page />
          </Route>
        ))}
        <Route>{needsSignIn ? <SignedInPages /> : <NotFound />}</Route>
      </Switch>
    </Suspense>
  );
}
