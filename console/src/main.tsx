import { render } from 'preact';
import { findPerson, joinTabs, takeTokenFromAddress, token } from './api/session.js';
import { App, preloadScreen } from './app.js';

takeTokenFromAddress();
joinTabs();
preloadScreen();
if (token.value === undefined) void findPerson();
render(<App />, document.getElementById('console')!);
