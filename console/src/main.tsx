import { render } from 'preact';
import { App } from './app.js';
import { takeTokenFromAddress } from './session.js';

takeTokenFromAddress();
render(<App />, document.getElementById('console')!);
