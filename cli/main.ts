#!/usr/bin/env node
import process from 'node:process';
import { runInProcess } from './run-in-process.js';
import { ALL_VERBS } from './verbs/all-verbs.js';

process.exitCode = await runInProcess(ALL_VERBS, process.env);
