import { useLocation } from 'preact-iso';

const tabs = [
  ['/console/alerts', 'Episodes'],
  ['/console/alerts/rules', 'Rules'],
] as const;

/** Links the two screens of alerts, episodes and rules. The links keep the chosen application. */
export const Tabs = () => {
  const { path, query } = useLocation();
  const application =
    query['application'] === undefined ? '' : `?application=${encodeURIComponent(query['application'])}`;
  return (
    <div class="tabs" role="group" aria-label="Parts">
      {tabs.map(([href, title]) => (
        <a key={href} href={href + application} aria-current={path === href ? 'true' : undefined}>
          {title}
        </a>
      ))}
    </div>
  );
};
