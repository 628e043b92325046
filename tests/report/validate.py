"""Reads what Assay writes for machines, with what others read it with.

validate.py json SCHEMA FILE...   each must be what the JSON schema says
validate.py junit FILE            prints `tests failures errors skipped`, then `kernel mode result` of each test case
"""
import json
import sys
import xml.etree.ElementTree

SUITE = {"name", "package", "id", "timestamp", "hostname", "tests", "failures", "errors", "skipped", "time"}


def check_json(schema_file, files):
    import jsonschema

    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    for name in files:
        with open(name, encoding="utf-8") as file:
            report = json.load(file)
        error = jsonschema.exceptions.best_match(validator(schema).iter_errors(report))
        if error is not None:
            sys.exit(f"{name}: {list(error.absolute_path)}: {error.message[:500]}")


def must(condition, what):
    if not condition:
        sys.exit(what)


def check_structure(file):
    """What the schemas of JUnit files that are about ask for: elements in their order, attributes there are."""
    root = xml.etree.ElementTree.parse(file).getroot()
    must(root.tag == "testsuites", "the root is " + root.tag)
    for suite in root:
        must(suite.tag == "testsuite" and set(suite.attrib) == SUITE, f"{suite.tag} {suite.attrib}")
        tags = [child.tag for child in suite]
        must(tags[0] == "properties" and tags[-2:] == ["system-out", "system-err"], f"{tags}")
        must(set(tags[1:-2]) <= {"testcase"}, f"{tags}")
        for case in suite.findall("testcase"):
            must(set(case.attrib) == {"name", "classname", "time"}, f"{case.attrib}")
            must([child.tag for child in case] in ([], ["failure"], ["error"]), "children of a test case")
            for fault in case:
                must(set(fault.attrib) == {"message", "type"}, f"{fault.attrib}")


def show_junit(file):
    import junitparser

    check_structure(file)
    xml_file = junitparser.JUnitXml.fromfile(file)
    counted = [0, 0, 0, 0]
    lines = []
    for suite in xml_file:
        stated = [suite.tests, suite.failures, suite.errors, suite.skipped]
        counted = [a + b for a, b in zip(counted, stated)]
        suite.update_statistics()
        must(stated == [suite.tests, suite.failures, suite.errors, suite.skipped], f"stated {stated}")
        for case in suite:
            kinds = [f"{type(result).__name__.lower()}: {result.type}" for result in case.result]
            lines.append(f"{case.classname} {case.name} {kinds[0] if kinds else 'pass'}")
    print(*counted)
    print(*lines, sep="\n")


if sys.argv[1] == "json":
    check_json(sys.argv[2], sys.argv[3:])
else:
    show_junit(sys.argv[2])
