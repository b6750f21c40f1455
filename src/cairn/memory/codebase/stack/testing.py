"""Testing: frameworks, doubles, browsers, factories, coverage that people name."""

from __future__ import annotations

TESTING = """
pytest | pypi:pytest tool:pytest file:pytest.ini pypi:pytest-django~ pypi:pytest-asyncio~ pypi:pytest-xdist~
unittest | import:unittest
Hypothesis | pypi:hypothesis
tox | pypi:tox file:tox.ini tool:tox
nox | pypi:nox file:noxfile.py
Coverage.py | pypi:coverage pypi:pytest-cov~ tool:coverage file:.coveragerc
Selenium | pypi:selenium npm:selenium-webdriver gem:selenium-webdriver maven:org.seleniumhq.selenium:*
    nuget:selenium.webdriver
Playwright | npm:@playwright/test npm:playwright npm:playwright-chromium pypi:playwright pypi:pytest-playwright~
    nuget:microsoft.playwright* maven:com.microsoft.playwright:playwright file:playwright.config.*
pytest-mock | pypi:pytest-mock
pytest-django | pypi:pytest-django
pytest-xdist | pypi:pytest-xdist
responses | pypi:responses
RESPX | pypi:respx
freezegun | pypi:freezegun
time-machine | pypi:time-machine
moto | pypi:moto
factory_boy | pypi:factory-boy
Faker | pypi:faker gem:faker npm:@faker-js/faker php:fakerphp/faker maven:net.datafaker:datafaker
Locust | pypi:locust
Robot Framework | pypi:robotframework
Behave | pypi:behave
VCR.py | pypi:vcrpy
Testcontainers | pypi:testcontainers maven:org.testcontainers:* npm:testcontainers
    go:github.com/testcontainers/testcontainers-go nuget:testcontainers*
    maven:org.springframework.boot:spring-boot-testcontainers~
Jest | npm:jest file:jest.config.* npm:ts-jest~ npm:@jest/globals npm:jest-preset-angular~
Vitest | npm:vitest file:vitest.config.*
Mocha | npm:mocha gem:mocha file:.mocharc.*
Chai | npm:chai
Sinon | npm:sinon
Jasmine | npm:jasmine npm:jasmine-core
Karma | npm:karma
AVA | npm:ava
QUnit | npm:qunit npm:qunitjs
tap | npm:tap
uvu | npm:uvu
Cypress | npm:cypress file:cypress.config.* root:cypress.json
Puppeteer | npm:puppeteer npm:puppeteer-core
WebdriverIO | npm:@wdio/cli
TestCafe | npm:testcafe
Nightwatch | npm:nightwatch
Testing Library | npm:@testing-library/react~ npm:@testing-library/vue~ npm:@testing-library/svelte~
    npm:@testing-library/dom~ npm:@testing-library/angular~ npm:@testing-library/jest-dom~
Enzyme | npm:enzyme
Vue Test Utils | npm:@vue/test-utils
Supertest | npm:supertest
MSW | npm:msw
Nock | npm:nock
jsdom | npm:jsdom npm:jest-environment-jsdom~
happy-dom | npm:happy-dom
fast-check | npm:fast-check
Istanbul | npm:nyc npm:istanbul
RSpec | ending:_spec.rb gem:rspec gem:rspec-rails~ file:.rspec
Minitest | gem:minitest gem:minitest-reporters~ ending:_test.rb
Capybara | gem:capybara
Cucumber | gem:cucumber gem:cucumber-rails~ npm:@cucumber/cucumber maven:io.cucumber:*
Factory Bot | gem:factory_bot gem:factory_bot_rails~
Shoulda Matchers | gem:shoulda-matchers
VCR | gem:vcr
WebMock | gem:webmock
SimpleCov | gem:simplecov
Timecop | gem:timecop
Shoulda | gem:shoulda gem:shoulda-context
Test Unit | gem:test-unit
Database Cleaner | gem:database_cleaner gem:database_cleaner-active_record~
Cuprite | gem:cuprite
PHPUnit | php:phpunit/phpunit file:phpunit.xml file:phpunit.xml.dist
Pest | php:pestphp/pest file:pest.php
ParaTest | php:brianium/paratest
PHPSpec | php:phpspec/phpspec
Mockery | php:mockery/mockery
Laravel Dusk | php:laravel/dusk
Behat | php:behat/behat
Codeception | php:codeception/codeception
Infection | php:infection/infection
Prophecy | php:phpspec/prophecy-phpunit
JUnit | package:org.junit maven:junit:junit maven:org.junit.jupiter:* maven:org.junit:junit-bom
    maven:org.junit.vintage:*
    maven:org.springframework.boot:spring-boot-starter-test~
    maven:org.springframework.boot:spring-boot-starter-*-test~ maven:org.jetbrains.kotlin:kotlin-test-junit5~
TestNG | maven:org.testng:testng
Mockito | maven:org.mockito:* package:org.mockito
AssertJ | maven:org.assertj:assertj-core package:org.assertj
Hamcrest | maven:org.hamcrest:* package:org.hamcrest
Spock | maven:org.spockframework:*
MockK | maven:io.mockk:mockk*
Kotest | maven:io.kotest:*
REST Assured | maven:io.rest-assured:*
WireMock | maven:org.wiremock:* maven:com.github.tomakehurst:wiremock* nuget:wiremock.net
ArchUnit | maven:com.tngtech.archunit:*
Gatling | maven:io.gatling.highcharts:* maven:io.gatling:*
JaCoCo | maven:org.jacoco:jacoco-maven-plugin maven:plugin:jacoco
Robolectric | maven:org.robolectric:robolectric
Espresso | maven:androidx.test.espresso:*
ScalaTest | maven:org.scalatest:*
xUnit.net | nuget:xunit nuget:xunit.v3* nuget:xunit.core
NUnit | nuget:nunit
MSTest | sdk:mstest.sdk nuget:mstest.testframework nuget:mstest
Moq | nuget:moq
NSubstitute | nuget:nsubstitute
FakeItEasy | nuget:fakeiteasy
FluentAssertions | nuget:fluentassertions
Shouldly | nuget:shouldly
AutoFixture | nuget:autofixture*~
FsCheck | nuget:fscheck*
Coverlet | nuget:coverlet.collector nuget:coverlet.msbuild
BenchmarkDotNet | nuget:benchmarkdotnet
SpecFlow | nuget:specflow
Verify | nuget:verify.xunit
bUnit | nuget:bunit
Testify | go:github.com/stretchr/testify
Ginkgo | go:github.com/onsi/ginkgo
Gomega | go:github.com/onsi/gomega
GoMock | go:go.uber.org/mock go:github.com/golang/mock
sqlmock | go:github.com/data-dog/go-sqlmock
assert_cmd | crate:assert_cmd
Criterion.rs | crate:criterion
proptest | crate:proptest
QuickCheck | crate:quickcheck
insta | crate:insta
mockall | crate:mockall
wiremock-rs | crate:wiremock
rstest | crate:rstest
cargo-nextest | path:.config/nextest.toml tool:cargo-nextest
GoogleTest | include:gtest/gtest.h c:gtest c:googletest c:gtest_main
Catch2 | include:catch2/* include:catch.hpp c:catch2
doctest | c:doctest include:doctest/doctest.h include:doctest.h
Google Benchmark | c:benchmark include:benchmark/benchmark.h
Check | c:check include:check.h
cmocka | c:cmocka include:cmocka.h
CUnit | c:cunit include:cunit/cunit.h include:cunit/basic.h
Criterion | include:criterion/criterion.h
Bats | ending:bats npm:bats
Go testing | ending:_test.go
Node.js test runner | module:node:test
Vader | ending:vader
Valgrind | tool:valgrind
libFuzzer | include:fuzzer/fuzzeddataprovider.h
gcov | tool:gcov tool:lcov
WebTestClient | package:org.springframework.test.web.reactive
Microcks | maven:io.github.microcks:*
Awaitility | maven:org.awaitility:*
PIT | maven:org.pitest:pitest-maven
Respawn | nuget:respawn
Reqnroll | nuget:reqnroll*
TUnit | nuget:tunit
Bogus | nuget:bogus
AwesomeAssertions | nuget:awesomeassertions
Microsoft Testing Platform | nuget:microsoft.testing.platform*
gock | go:gopkg.in/h2non/gock.v1
go-txdb | go:github.com/data-dog/go-txdb
expect-test | crate:expect-test
pretty_assertions | crate:pretty_assertions
trycmd | crate:trycmd crate:snapbox
serial_test | crate:serial_test
divan | crate:divan
Storybook Test Runner | npm:@storybook/test-runner
Chromatic | npm:chromatic
axe | npm:jest-axe npm:@axe-core/playwright npm:cypress-axe npm:axe-core gem:axe-core-rspec
Pact | npm:@pact-foundation/pact gem:pact maven:au.com.dius.pact.*
k6 | docker:grafana/k6 tool:k6
Artillery | npm:artillery
"""
