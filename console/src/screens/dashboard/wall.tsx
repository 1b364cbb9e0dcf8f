import { useEffect, useMemo } from 'preact/hooks';
import { LocationProvider } from 'preact-iso';
import { WallDocument, type WallQuery } from '../../api/documents.js';
import { ended, noLink, token } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { Empty, Loading } from '../../components/state.js';
import { Connection } from './connection.js';
import { Controls } from './controls.js';
import { Grid } from './grid.js';
import { readDashboard } from './read.js';
import { useBoard } from './use-board.js';

/** The application of a link. */
type Walled = NonNullable<NonNullable<WallQuery['viewer']>['application']>;

/** Time in milliseconds after which a wall looks for a new version of its dashboard. */
const every = 60_000;
/** Time in milliseconds until a failed request is repeated, because nobody presses a button on a wall. */
const retry = 5000;

/** A dashboard for a screen on a wall, shown to whoever has its link. It shows nothing else, and changes nothing. */
export const Wall = () => (
  <LocationProvider scope="/console">
    <main id="main" class="wall" tabIndex={-1}>
      {token.value === undefined ? <NoDashboard /> : <Opened key={token.value} />}
    </main>
  </LocationProvider>
);

const NoDashboard = () =>
  ended.value === noLink ? (
    <Empty as="h1" title="This is not a link to a dashboard">
      <p>{noLink}</p>
    </Empty>
  ) : (
    <Empty as="h1" title={ended.value === undefined ? 'This page shows a dashboard' : 'This link has ended'}>
      <p>Open the link that an owner of the organization made for it. A link that ended needs a new one.</p>
    </Empty>
  );

function Opened() {
  const loaded = useQuery(WallDocument, {}, { every });
  const { error, reload } = loaded;
  useEffect(() => {
    if (error === undefined) return undefined;
    const timer = setTimeout(reload, retry);
    return () => clearTimeout(timer);
  }, [error, reload]);
  return (
    <Loading of={loaded} rows={24}>
      {({ viewer: { application } }) =>
        application === null || application.dashboard === null ? (
          <Empty as="h1" title="No dashboard">
            <p>Its application has no dashboard now.</p>
          </Empty>
        ) : (
          <Shown key={application.id} walled={application} />
        )
      }
    </Loading>
  );
}

function Shown({ walled }: { walled: Walled }) {
  // Most answers contain nothing new: the panels are requested again only after a save.
  const same = JSON.stringify(walled);
  const [application, dashboard] = useMemo(
    () => [walled, readDashboard(walled.dashboard?.document ?? {})] as const,
    [same],
  );
  const board = useBoard(application, dashboard, application.organizationId);
  useEffect(() => {
    document.title = application.name;
  }, [application.name]);
  return (
    <>
      <header class="board-head">
        <h1 class="cut" title={application.name}>
          {application.name}
        </h1>
        <Controls application={application} dashboard={dashboard} />
        <Connection of={board} />
      </header>
      <Grid panels={dashboard.panels} shown={board.shown} isWall />
    </>
  );
}
