import { mayOwn } from '../../api/session.js';
import { Action } from '../../components/action.js';
import { Section } from '../../components/page.js';
import { Empty } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { DerivedFields, derivedIn } from './derived-fields.js';
import { type Product, putSettings, settingsOf, settingsText } from './settings.js';
import { EditSettings } from './variable-settings.js';

/** The derived variables of a product with their formulas, which owners edit. */
export const Derived = ({ product, reload }: { product: Product; reload: () => void }) => (
  <Section
    title="Derived variables"
    actions={
      mayOwn.value && (
        <Action
          label="Edit formulas"
          title="Derived variables"
          action="Save"
          done="The formulas were saved. They hold for records from now on."
          undo
          submit={async (form) => {
            await putSettings(product, { derived: derivedIn(form) });
            reload();
          }}
        >
          <DerivedFields product={product} />
        </Action>
      )
    }
  >
    {product.settings.derived.length === 0 ? (
      <Empty title="No derived variable">
        <p>A formula computes a variable from others of the same record, when the record is stored.</p>
      </Empty>
    ) : (
      <TableFrame label="Derived variables">
        <table aria-label="Derived variables">
          <thead>
            <tr>
              <th>Variable</th>
              <th>Type</th>
              <th>Unit</th>
              <th>Formula</th>
              <th>Settings</th>
              {mayOwn.value && <th class="number">Change</th>}
            </tr>
          </thead>
          <tbody>
            {product.settings.derived.map((variable) => (
              <tr key={variable.name}>
                <td>{variable.name}</td>
                <td>{variable.type}</td>
                <td>{variable.unit}</td>
                <td>
                  <code>{variable.formula}</code>
                </td>
                <td>{settingsText(settingsOf(product, variable.name))}</td>
                {mayOwn.value && (
                  <td class="number">
                    <EditSettings product={product} variable={variable} reload={reload} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    )}
  </Section>
);
