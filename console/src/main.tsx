import { render } from 'preact';
import { App } from './app.js';
import { findPerson, takeTokenFromAddress, token } from './session.js';

takeTokenFromAddress();
if (token.value === undefined) void findPerson();
render(<App />, document.getElementById('console')!);
