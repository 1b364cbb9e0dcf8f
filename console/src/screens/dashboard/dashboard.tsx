import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { DashboardDocument } from '../../api/documents.js';
import { mayWrite, organizationId } from '../../api/session.js';
import { type Loaded, useQuery } from '../../api/use-query.js';
import { Page } from '../../components/page.js';
import { Failure, Loading } from '../../components/state.js';
import { Connection } from './connection.js';
import { Controls } from './controls.js';
import type { Dashboard } from './document.js';
import { LazyEditor } from './edit/lazy-editor.js';
import { type Application, placesOf } from './facts.js';
import { Begin } from './first.js';
import { Grid } from './grid.js';
import { More } from './more.js';
import { readDashboard } from './read.js';
import { useBoard } from './use-board.js';

/** The dashboard screen of an application. */
export function DashboardScreen() {
  const { params } = useRoute();
  const loaded = useQuery(DashboardDocument, {
    organizationId: organizationId.value,
    applicationId: params['applicationId'] ?? '',
  });
  const { data } = loaded;
  const application = useMemo(() => data && { ...data.application, sites: placesOf(data.sites?.items ?? []) }, [data]);
  if (application === undefined)
    return (
      <Page title="Dashboard">
        <Loading of={loaded} rows={20}>
          {() => null}
        </Loading>
      </Page>
    );
  return <Shown key={application.id} application={application} loaded={loaded} />;
}

function Shown({ application, loaded: { error, reload } }: { application: Application; loaded: Loaded<unknown> }) {
  const stored = application.dashboard;
  const dashboard = useMemo(() => readDashboard(stored?.document ?? {}), [stored]);
  const [isEditing, setEditing] = useState(false);
  const leave = () => {
    setEditing(false);
    reload();
  };
  const mayChange = mayWrite.value && application.permission === 'write';
  const version = stored?.version ?? 0;
  const failure = error && <Failure error={error} retry={reload} />;
  if (stored === null || dashboard.panels.length === 0) {
    if (!isEditing || stored === null)
      return (
        <Page title={application.name}>
          {failure}
          <Begin
            application={application}
            mayChange={mayChange}
            done={reload}
            edit={stored === null ? undefined : () => setEditing(true)}
          />
        </Page>
      );
  }
  return isEditing ? (
    <LazyEditor application={application} dashboard={dashboard} version={version} leave={leave} />
  ) : (
    <Viewed application={application} dashboard={dashboard} failure={failure}>
      {mayChange && (
        <button type="button" onClick={() => setEditing(true)}>
          Edit
        </button>
      )}
      <More application={application} dashboard={dashboard} version={version} mayChange={mayChange} reload={reload} />
    </Viewed>
  );
}

function Viewed({
  application,
  dashboard,
  failure,
  children,
}: {
  application: Application;
  dashboard: Dashboard;
  /** The error of a failed reload. */
  failure: ComponentChildren;
  children: ComponentChildren;
}) {
  const board = useBoard(application, dashboard);
  return (
    <Page title={application.name} actions={children}>
      {failure}
      <div class="board-head">
        <Controls application={application} dashboard={dashboard} />
        <Connection of={board} />
      </div>
      <Grid panels={dashboard.panels} shown={board.shown} />
    </Page>
  );
}
