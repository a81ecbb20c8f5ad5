/** The Node call script against real servers from npm. */
import { describe } from 'vitest';
import { describeRealServers } from '../../support/call-servers/real-servers.ts';
import { node } from './node-runtime.ts';

describe('Node call script', () => describeRealServers(node));
