import {
  type ApplicationQuery,
  DeleteApplicationDocument,
  DeviceBySerialDocument,
  LinkDeviceDocument,
  UnlinkDeviceDocument,
  UpdateApplicationDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { EditAndDelete } from '../../components/edit-and-delete.js';
import { ApplicationFields } from './applications.js';

type Application = NonNullable<ApplicationQuery['application']>;

export const ApplicationActions = ({ application, reload }: { application: Application; reload: () => void }) => {
  const names = { organizationId: organizationId.value, applicationId: application.id };
  return (
    <EditAndDelete
      of="application"
      list="/console/applications"
      fields={<ApplicationFields name={application.name} description={application.description} />}
      consequence="Its hooks and their deliveries go with it. An application with linked devices is not deleted."
      save={(form) =>
        ask(UpdateApplicationDocument, {
          ...names,
          name: textOf(form, 'name'),
          description: textOf(form, 'description') || null,
          hasDashboard: application.hasDashboard,
        })
      }
      remove={() => ask(DeleteApplicationDocument, names)}
      reload={reload}
    />
  );
};

/** Links a device by its serial number. */
export const LinkDevice = ({ applicationId, reload }: { applicationId: string; reload: () => void }) => (
  <Action
    label="Link a device"
    action="Link"
    submit={async (form) => {
      const names = { organizationId: organizationId.value };
      const { deviceBySerial } = await ask(DeviceBySerialDocument, { ...names, deviceSerial: textOf(form, 'serial') });
      await ask(LinkDeviceDocument, { ...names, applicationId, deviceId: deviceBySerial.id });
      reload();
    }}
  >
    <Field label="Serial">
      <input name="serial" required spellcheck={false} />
    </Field>
  </Action>
);

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
