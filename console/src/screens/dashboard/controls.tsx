import type { Address } from '../../browser/address.js';
import { RangePicker } from '../../components/range-picker.js';
import { changeOf, type Values } from './data/values.js';
import { type Dashboard, type RangeName, ranges } from './document.js';
import { type Application, optionsOf } from './facts.js';

/** Names of the ranges for the range picker. */
const names = Object.fromEntries(Object.entries(ranges).map(([name, [words]]) => [name, words])) as Record<
  RangeName,
  string
>;

/** The range and the variables of a dashboard, both in the address. */
export const Controls = ({
  application,
  dashboard,
  values,
  address,
}: {
  application: Application;
  dashboard: Dashboard;
  values: Values;
  address: Address;
}) => (
  <div class="filters">
    {dashboard.variables.map((variable) => {
      const options = optionsOf(application, variable.kind);
      const value = values[variable.name] ?? '';
      return (
        <label key={variable.name} class="inline-field">
          <span class="quiet">{variable.name}</span>
          <select value={value} onChange={({ currentTarget }) => address.set(changeOf(variable, currentTarget.value))}>
            <option value="">All</option>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.title}
              </option>
            ))}
            {value !== '' && !options.some((option) => option.value === value) && (
              <option value={value}>{value}</option>
            )}
          </select>
        </label>
      );
    })}
    <RangePicker address={address} fallback={dashboard.range} names={names} />
  </div>
);
