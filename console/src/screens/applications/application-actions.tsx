import { useState } from 'preact/hooks';
import {
  type ApplicationQuery,
  DeleteApplicationDocument,
  UnlinkDeviceDocument,
  UpdateApplicationDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { DangerZone, Delete, Edit } from '../../components/edit-and-delete.js';
import { LinkDialog } from '../link-device.js';
import { ApplicationFields } from './applications.js';

type Application = NonNullable<ApplicationQuery['application']>;

const namesOf = ({ id }: Application) => ({ organizationId: organizationId.value, applicationId: id });

/** Edits an application. */
export const EditApplication = ({ application, reload }: { application: Application; reload: () => void }) => (
  <Edit
    of="application"
    fields={<ApplicationFields name={application.name} description={application.description} />}
    save={(form) =>
      ask(UpdateApplicationDocument, {
        ...namesOf(application),
        name: textOf(form, 'name'),
        description: textOf(form, 'description') || null,
        hasDashboard: application.hasDashboard,
      })
    }
    reload={reload}
  />
);

/** Deletes an application. */
export const DeleteApplication = ({ application }: { application: Application }) => (
  <DangerZone>
    <Delete
      of="application"
      list="/console/applications"
      consequence="Its hooks and their deliveries are deleted too. An application with linked devices cannot be deleted."
      remove={() => ask(DeleteApplicationDocument, namesOf(application))}
    />
  </DangerZone>
);

/** A button that links a device. */
export function LinkDevice({ application, reload }: { application: Application; reload: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Link a device
      </button>
      {isOpen && <LinkDialog application={application} linked={reload} close={() => setOpen(false)} />}
    </>
  );
}

/** Unlinks a device from an application. */
export const Unlink = ({
  application,
  device: { id, name, serial },
  reload,
}: {
  application: Application;
  device: Application['devices']['items'][number];
  reload: () => void;
}) => (
  <Action
    label="Unlink"
    title={`Unlink ${name ?? serial}`}
    action="Unlink"
    submit={async () => {
      const names = { organizationId: organizationId.value, applicationId: application.id };
      await ask(UnlinkDeviceDocument, { ...names, deviceId: id });
      reload();
    }}
  >
    <p>Its records are no longer searched, charted or sent in {application.name}. They are kept.</p>
  </Action>
);
