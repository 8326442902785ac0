#!/usr/bin/env node
import { main } from "../dist/bundle/cli/main.js";

process.exitCode = await main();
