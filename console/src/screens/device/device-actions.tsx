import { DeleteDeviceDocument, type DeviceQuery, UpdateDeviceDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { listOf, textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';
import { DangerZone, Delete, Edit } from '../../components/edit-and-delete.js';
import type { Device } from './device-type.js';

type Product = NonNullable<DeviceQuery['products']>['items'][number];

const namesOf = (device: Device) => ({ organizationId: organizationId.value, deviceId: device.id });

/** Edits a device. */
export const EditDevice = ({
  device,
  products,
  reload,
}: {
  device: Device;
  products: readonly Product[];
  reload: () => void;
}) => (
  <Edit
    of="device"
    fields={<DeviceFields device={device} products={products} />}
    save={(form) => ask(UpdateDeviceDocument, { ...namesOf(device), ...deviceOf(form) })}
    reload={reload}
  />
);

/** Deletes a device. */
export const DeleteDevice = ({ device }: { device: Device }) => (
  <DangerZone>
    <Delete
      of="device"
      list="/console/devices"
      consequence="1 device is deleted, with its records and its links to applications."
      remove={() => ask(DeleteDeviceDocument, namesOf(device))}
    />
  </DangerZone>
);

/** The form fields of an existing or new device. */
export const DeviceFields = ({ device, products }: { device?: Device; products: readonly Product[] }) => {
  const chosen = device?.product ?? null;
  // A product of another organization is not listed, but stays chosen.
  const listed = products.some(({ id }) => id === chosen?.id);
  return (
    <>
      <Field label="Name">
        <input name="name" maxLength={200} defaultValue={device?.name ?? ''} />
      </Field>
      <Field label="Product">
        <select name="product">
          <option value="">None</option>
          {!listed && chosen !== null && (
            <option value={`${chosen.organizationId} ${chosen.id}`} selected>
              {chosen.name} {chosen.version}
            </option>
          )}
          {products.map(({ id, organizationId: owner, name, version }) => (
            <option key={id} value={`${owner} ${id}`} selected={id === chosen?.id}>
              {name} {version}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Tags" hint="Separated by commas.">
        <input name="tags" defaultValue={device?.tags.join(', ')} />
      </Field>
      <div class="beside">
        <Field label="Latitude">
          <input
            name="lat"
            type="number"
            step="any"
            min={-90}
            max={90}
            defaultValue={`${device?.location?.lat ?? ''}`}
          />
        </Field>
        <Field label="Longitude">
          <input
            name="lon"
            type="number"
            step="any"
            min={-180}
            max={180}
            defaultValue={`${device?.location?.lon ?? ''}`}
          />
        </Field>
      </div>
    </>
  );
};

/** Reads the form of a device. */
export const deviceOf = (form: FormData) => {
  const [owner, id] = textOf(form, 'product').split(' ');
  const [lat, lon] = [textOf(form, 'lat'), textOf(form, 'lon')];
  return {
    name: textOf(form, 'name') || null,
    tags: listOf(textOf(form, 'tags')),
    product: id === undefined ? null : { id, organizationId: owner! },
    location: lat === '' || lon === '' ? null : { lat: Number(lat), lon: Number(lon) },
  };
};
